//! What independent replays of one thing say of the next ones. Normal theory: the values are
//! taken for a sample of a normal distribution of unknown mean and deviation.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};
use statrs::function::gamma::ln_gamma;

use super::interval::t_two_sided;
use super::sample::finite;
use super::{Estimate, StatsError, mean, sd};

/// Panels of Simpson's rule, even.
const PANELS: usize = 400;
/// Halvings of a bracket, which end at a billionth of it.
const HALVINGS: usize = 30;

/// Replays in brief: all that normal theory needs of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Replays {
    count: usize,
    mean: f64,
    sd: f64,
}

impl Replays {
    /// Of values; two at least.
    pub fn of(values: &[f64]) -> Result<Self, StatsError> {
        Replays::new(values.len(), mean(values)?, sd(values)?)
    }

    /// From their number (two at least), mean and sample standard deviation (zero or above).
    pub fn new(count: usize, mean: f64, sd: f64) -> Result<Self, StatsError> {
        if count < 2 {
            return Err(StatsError::TooFew { have: count, need: 2 });
        }
        if sd < 0.0 {
            return Err(StatsError::Negative(sd));
        }
        Ok(Replays { count, mean: finite(mean)?, sd: finite(sd)? })
    }

    /// Where the mean of `further` replays (one at least) falls with probability `confidence`:
    /// m ± t(n−1) · s · √(1/further + 1/n).
    pub fn next(self, further: usize, confidence: f64) -> Result<Estimate, StatsError> {
        if further == 0 {
            return Err(StatsError::Empty);
        }
        let reach = t_two_sided(self.freedom(), confidence)?
            * self.sd
            * (1.0 / further as f64 + 1.0 / self.count as f64).sqrt();
        Ok(Estimate { value: self.mean, low: self.mean - reach, high: self.mean + reach })
    }

    /// How often a further replay exceeds `mark`. The value is the predictive probability, which
    /// allows for how little is known of mean and deviation:
    /// P(t(n−1) > (mark − m) / (s · √(1 + 1/n))). The interval is that of the true share at
    /// `confidence`, exact for normal values: (m − mark)·√n / s has a noncentral t distribution,
    /// whose noncentrality tells by how many deviations the true mean lies above the mark.
    /// Without any spread it is 1 or 0 with no width.
    pub fn chance_above(self, mark: f64, confidence: f64) -> Result<Estimate, StatsError> {
        let lead = finite(self.mean - finite(mark)?)?;
        if !(confidence > 0.0 && confidence < 1.0) {
            return Err(StatsError::BadProbability(confidence));
        }
        let sure = |p: f64| Estimate { value: p, low: p, high: p };
        let n = self.count as f64;
        let observed = lead * n.sqrt() / self.sd;
        // Beyond this many standard errors there is nothing left to compute.
        if !observed.is_finite() || observed.abs() > 1e6 {
            return Ok(sure(if lead > 0.0 { 1.0 } else { 0.0 }));
        }
        let freedom = self.freedom();
        let t = StudentsT::new(0.0, 1.0, freedom).map_err(|_| StatsError::NotFinite(freedom))?;
        let value = finite(t.cdf(observed / (n + 1.0).sqrt()))?;
        let tail = (1.0 - confidence) / 2.0;
        let t = NoncentralT::new(freedom);
        let share = |p: f64| Normal::standard().cdf(t.noncentrality(observed, p) / n.sqrt());
        Ok(Estimate { value, low: share(1.0 - tail).min(value), high: share(tail).max(value) })
    }

    fn freedom(self) -> f64 {
        (self.count - 1) as f64
    }
}

/// The noncentral t distribution: T = (Z + noncentrality) / U with Z standard normal and
/// U = √(χ²/freedom).
struct NoncentralT {
    freedom: f64,
    /// Nodes of U for Simpson's rule, each with its share of the whole.
    nodes: Vec<(f64, f64)>,
}

impl NoncentralT {
    fn new(freedom: f64) -> Self {
        let half = freedom / 2.0;
        let scale = std::f64::consts::LN_2 + half * half.ln() - ln_gamma(half);
        let density = |u: f64| match u {
            0.0 if freedom > 1.0 => 0.0,
            0.0 => scale.exp(),
            u => (scale + (freedom - 1.0) * u.ln() - half * u * u).exp(),
        };
        let (from, to) = ((1.0 - tails(freedom)).max(0.0), 1.0 + tails(freedom));
        let step = (to - from) / PANELS as f64;
        let node = |i: usize| {
            let u = from + step * i as f64;
            let weight = match i {
                0 | PANELS => 1.0,
                i if i % 2 == 1 => 4.0,
                _ => 2.0,
            };
            (u, weight * density(u) * step / 3.0)
        };
        NoncentralT { freedom, nodes: (0..=PANELS).map(node).collect() }
    }

    /// P(T ≤ t), which is Φ(t·u − noncentrality) averaged over U.
    fn below(&self, t: f64, noncentrality: f64) -> f64 {
        let normal = Normal::standard();
        self.nodes.iter().map(|(u, share)| share * normal.cdf(t * u - noncentrality)).sum()
    }

    /// The noncentrality at which P(T ≤ t) is `p`.
    fn noncentrality(&self, t: f64, p: f64) -> f64 {
        let reach = t.abs() * (1.0 + tails(self.freedom)) + 40.0;
        let (mut low, mut high) = (-reach, reach);
        for _ in 0..HALVINGS {
            let middle = (low + high) / 2.0;
            // The greater the noncentrality, the less lies below.
            if self.below(t, middle) > p { low = middle } else { high = middle }
        }
        (low + high) / 2.0
    }
}

/// How far from 1 the mass of U reaches: some eight of its deviations and more.
fn tails(freedom: f64) -> f64 {
    8.0 / (2.0 * freedom).sqrt() + 2.0 / freedom
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::prediction_bound;

    /// Printed one-sided tolerance factors k: m − k·s lies below the share p of a normal
    /// population with confidence 95 %, which is t(n−1; √n·z_p; 0.95) = k·√n.
    #[test]
    fn noncentral_t_matches_the_tables() {
        for (n, z, k) in [
            (2.0f64, 1.281552, 20.581),
            (5.0, 1.281552, 3.407),
            (10.0, 1.281552, 2.355),
            (10.0, 2.326348, 3.981),
            (20.0, 1.644854, 2.396),
            (100.0, 2.326348, 2.684),
        ] {
            let t = NoncentralT::new(n - 1.0);
            let p = t.below(k * n.sqrt(), z * n.sqrt());
            assert!((p - 0.95).abs() < 4e-4, "n = {n}, k = {k}: {p}");
            let back = t.noncentrality(k * n.sqrt(), 0.95);
            assert!((back / n.sqrt() - z).abs() < 2e-3, "n = {n}, k = {k}: {back}");
        }
    }

    #[test]
    fn central_t_is_the_noncentral_one_at_zero() {
        for freedom in [1.0, 2.0, 9.0, 40.0] {
            let t = StudentsT::new(0.0, 1.0, freedom).unwrap();
            for x in [-3.0, -0.5, 0.0, 1.0, 4.0] {
                let p = NoncentralT::new(freedom).below(x, 0.0);
                assert!((p - t.cdf(x)).abs() < 1e-5, "t({freedom}) at {x}: {p} {}", t.cdf(x));
            }
        }
    }

    #[test]
    fn exactly_as_fast_passes_half_of_the_time_and_the_bound_nearly_always() {
        let values: Vec<f64> = (0..10).map(|i| 2.0 + 0.03 * f64::from(i % 5)).collect();
        let replays = Replays::of(&values).unwrap();
        let half = replays.chance_above(replays.mean, 0.95).unwrap();
        assert!((half.value - 0.5).abs() < 1e-12);
        // No lead at all: √10 · δ lies within ±1.96.
        assert!((half.low - 0.2677).abs() < 1e-3 && (half.high - 0.7323).abs() < 1e-3, "{half:?}");
        let mark = prediction_bound(&values, 0.01).unwrap();
        let bound = replays.chance_above(mark, 0.95).unwrap();
        assert!((bound.value - 0.99).abs() < 1e-9, "{bound:?}");
        assert!(0.85 < bound.low && bound.low < 0.97 && bound.high > 0.999, "{bound:?}");
        // The two marks mirrored.
        let above = replays.chance_above(2.0 * replays.mean - mark, 0.95).unwrap();
        assert!((above.value - 0.01).abs() < 1e-9 && (above.low + bound.high - 1.0).abs() < 1e-6);
    }

    #[test]
    fn the_mean_of_further_replays() {
        // n = 4, mean 2.5, s = 1.290994; t(3; 0.975) = 3.182446
        let replays = Replays::of(&[1.0, 2.0, 3.0, 4.0]).unwrap();
        let next = replays.next(1, 0.95).unwrap();
        assert!((next.high - (2.5 + 3.182446 * 1.290994 * 1.25f64.sqrt())).abs() < 1e-4);
        let three = replays.next(3, 0.95).unwrap();
        assert!((three.half_width() - 3.182446 * 1.290994 * (7.0f64 / 12.0).sqrt()).abs() < 1e-4);
        assert_eq!(replays, Replays::new(4, 2.5, (5.0f64 / 3.0).sqrt()).unwrap());
    }

    #[test]
    fn without_spread_all_is_certain() {
        let replays = Replays::of(&[0.5; 6]).unwrap();
        let sure = |p: f64| Estimate { value: p, low: p, high: p };
        assert_eq!(replays.chance_above(0.4, 0.95), Ok(sure(1.0)));
        assert_eq!(replays.chance_above(0.6, 0.95), Ok(sure(0.0)));
        assert_eq!(replays.chance_above(0.5, 0.95), Ok(sure(0.0)), "at the mark is not above it");
        assert_eq!(replays.next(3, 0.95), Ok(sure(0.5)));
    }

    #[test]
    fn refuses_what_has_no_answer() {
        assert_eq!(Replays::of(&[1.0]), Err(StatsError::TooFew { have: 1, need: 2 }));
        assert_eq!(Replays::new(1, 1.0, 0.1), Err(StatsError::TooFew { have: 1, need: 2 }));
        assert_eq!(Replays::new(3, 1.0, -0.1), Err(StatsError::Negative(-0.1)));
        assert!(Replays::new(3, f64::NAN, 0.1).is_err() && Replays::new(3, 1.0, f64::NAN).is_err());
        let replays = Replays::of(&[1.0, 2.0]).unwrap();
        assert_eq!(replays.next(0, 0.95), Err(StatsError::Empty));
        assert!(replays.chance_above(f64::NAN, 0.95).is_err());
        for p in [0.0, 1.0, f64::NAN] {
            assert!(replays.chance_above(1.0, p).is_err() && replays.next(1, p).is_err());
        }
    }
}
