//! Do times depend on a secret? Times of calls with one fixed secret against times of calls with
//! random ones, by Welch's t, after cuts that leave out the slow ones: what interrupts a call makes
//! it slow, and hides what is small.

use super::{StatsError, mean, sd};

/// Above it (either sign) a look counts. TVLA's and dudect's customary bound: of normal noise one
/// value of t in 150 000 is beyond it, and there is one for each cut.
pub const BOUND: f64 = 4.5;

/// Quantiles, over both classes together, above which times are left out.
pub const CUTS: [f64; 6] = [1.0, 0.99, 0.95, 0.9, 0.75, 0.5];

/// Fewest times a class.
pub const FEWEST: usize = 100;

/// What t is where nothing scatters and yet the means differ.
const CERTAIN: f64 = 1e6;

/// One look at two classes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leak {
    /// Welch's t where it is farthest from 0; above 0 where the fixed secret takes longer.
    pub t: f64,
    /// The quantile above which times were left out there.
    pub cut: f64,
    /// Difference of the means there, fixed minus random, in the unit of the times.
    pub difference: f64,
}

impl Leak {
    /// Whether this look says that times depend on the secret.
    pub fn seen(&self) -> bool {
        self.t.abs() > BOUND
    }

    /// Whether a second look at the same fixed secret says the same: both beyond the bound, on the
    /// same side.
    pub fn confirmed(&self, again: &Leak) -> bool {
        self.seen() && again.seen() && self.t.signum() == again.t.signum()
    }
}

/// Looks at the times of both classes.
///
/// # Errors
/// Fewer than `FEWEST` times in a class, or one that is not finite.
pub fn leak(fixed: &[f64], random: &[f64]) -> Result<Leak, StatsError> {
    let have = fixed.len().min(random.len());
    if have < FEWEST {
        return Err(StatsError::TooFew { have, need: FEWEST });
    }
    let mut all: Vec<f64> = fixed.iter().chain(random).copied().collect();
    if let Some(bad) = all.iter().find(|time| !time.is_finite()) {
        return Err(StatsError::NotFinite(*bad));
    }
    all.sort_by(f64::total_cmp);
    let mut worst = Leak { t: 0.0, cut: 1.0, difference: 0.0 };
    for cut in CUTS {
        let most = all[(cut * (all.len() - 1) as f64) as usize];
        let kept = |class: &[f64]| -> Vec<f64> {
            class.iter().copied().filter(|&time| time <= most).collect()
        };
        let (a, b) = (kept(fixed), kept(random));
        // A class of which nearly nothing is left says that with less strict cuts already.
        if a.len() < FEWEST / 4 || b.len() < FEWEST / 4 {
            continue;
        }
        let (t, difference) = welch(&a, &b)?;
        if t.abs() > worst.t.abs() {
            worst = Leak { t, cut, difference };
        }
    }
    Ok(worst)
}

/// Welch's t and the difference of the means.
fn welch(a: &[f64], b: &[f64]) -> Result<(f64, f64), StatsError> {
    let difference = mean(a)? - mean(b)?;
    let part = |x: &[f64]| -> Result<f64, StatsError> { Ok(sd(x)?.powi(2) / x.len() as f64) };
    let error = (part(a)? + part(b)?).sqrt();
    let t = if difference == 0.0 {
        0.0
    } else if error == 0.0 {
        CERTAIN.copysign(difference)
    } else {
        difference / error
    };
    Ok((t.clamp(-CERTAIN, CERTAIN), difference))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn welch_of_a_known_case() {
        // Means 3 and 5; variances 2.5 and 14; n 5 and 4: t = -2 / sqrt(0.5 + 3.5).
        let spread = 10.5f64.sqrt();
        let b = [5.0 - spread, 5.0 + spread, 5.0 - spread, 5.0 + spread];
        let (t, difference) = welch(&[1.0, 2.0, 3.0, 4.0, 5.0], &b).unwrap();
        assert!((t + 1.0).abs() < 1e-12 && (difference + 2.0).abs() < 1e-12, "{t}");
    }

    #[test]
    fn what_does_not_scatter_is_certain() {
        let times = |value: f64| vec![value; FEWEST];
        assert_eq!(leak(&times(7.0), &times(7.0)).unwrap().t, 0.0);
        let slower = leak(&times(8.0), &times(7.0)).unwrap();
        assert_eq!((slower.t, slower.difference), (CERTAIN, 1.0));
        assert!(slower.seen() && leak(&times(6.0), &times(7.0)).unwrap().t < 0.0);
    }

    #[test]
    fn a_second_look_must_point_the_same_way() {
        let look = |t| Leak { t, cut: 1.0, difference: t };
        assert!(look(5.0).confirmed(&look(6.0)));
        assert!(look(-5.0).confirmed(&look(-4.6)));
        assert!(!look(5.0).confirmed(&look(-6.0)));
        assert!(!look(5.0).confirmed(&look(4.4)) && !look(4.4).confirmed(&look(5.0)));
        assert!(!look(BOUND).seen() && look(BOUND.next_up()).seen());
    }

    #[test]
    fn the_first_cut_tells_unless_a_later_one_tells_more() {
        let same: Vec<f64> = (0..FEWEST).map(|i| i as f64).collect();
        assert_eq!(leak(&same, &same).unwrap(), Leak { t: 0.0, cut: 1.0, difference: 0.0 });
    }

    /// Where a quarter of the fewest is left of a class by a cut, that cut still tells.
    #[test]
    fn a_class_may_be_cut_to_a_quarter_of_the_fewest() {
        // The lower half holds the `left` fast times of the fixed secret, and random ones.
        let cuts = |left: usize| {
            let (fast, slow) = ((0..left).map(|i| i as f64), (left..FEWEST).map(|_| 1e5));
            let fixed: Vec<f64> = fast.chain(slow).collect();
            let random: Vec<f64> = (0..FEWEST + 50).map(|i| 1e3 + i as f64).collect();
            [leak(&fixed, &random).unwrap().cut, leak(&random, &fixed).unwrap().cut]
        };
        assert_eq!((cuts(FEWEST / 4 - 1), cuts(FEWEST / 4)), ([1.0; 2], [0.5; 2]));
    }

    #[test]
    fn too_few_or_broken_times_are_refused() {
        let few = vec![1.0; FEWEST - 1];
        let enough = vec![1.0; FEWEST];
        assert!(matches!(leak(&few, &enough), Err(StatsError::TooFew { .. })));
        let mut broken = enough.clone();
        broken[3] = f64::NAN;
        assert!(matches!(leak(&enough, &broken), Err(StatsError::NotFinite(_))));
    }
}
