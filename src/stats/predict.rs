//! What independent replays of one thing say of the next ones. Normal theory.

use statrs::distribution::{ChiSquared, ContinuousCDF, Normal, StudentsT};

use super::interval::{probability, t_quantile, t_two_sided};
use super::sample::finite;
use super::{Estimate, StatsError, mean, sd};

/// Replays in brief: a sample of a normal distribution of unknown mean and deviation.
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
        let reach = t_two_sided((self.count - 1) as f64, confidence)?
            * self.sd
            * (1.0 / further as f64 + 1.0 / self.count as f64).sqrt();
        Ok(Estimate { value: self.mean, low: self.mean - reach, high: self.mean + reach })
    }
}

/// By how much one of two was ahead that are equally fast: values of a normal distribution around
/// zero, of unknown deviation. Which of the two is called the first changes signs only.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leads {
    count: usize,
    rms: f64,
}

impl Leads {
    /// Of values; one at least.
    pub fn of(values: &[f64]) -> Result<Self, StatsError> {
        let squares: Vec<f64> = values.iter().map(|x| x * x).collect();
        Ok(Leads { count: values.len(), rms: mean(&squares)?.sqrt() })
    }

    /// How far the next one falls behind with probability `p` at most: t(n; 1−p) · rms.
    pub fn guard(self, p: f64) -> Result<f64, StatsError> {
        finite(t_quantile(self.count as f64, 1.0 - p)? * self.rms)
    }

    /// How often the next one exceeds `mark`. The value is the predictive probability, which allows
    /// for how little is known of the deviation: P(t(n) > mark / rms). The interval is that of the
    /// true share at `confidence`, exact for normal values: n · rms² / σ² has a χ² distribution of n
    /// degrees of freedom. Without any spread it is 1 or 0 with no width.
    pub fn chance_above(self, mark: f64, confidence: f64) -> Result<Estimate, StatsError> {
        let half = probability(confidence)? / 2.0;
        let observed = -finite(mark)? / self.rms;
        if !observed.is_finite() {
            let p = if mark < 0.0 { 1.0 } else { 0.0 };
            return Ok(Estimate { value: p, low: p, high: p });
        }
        let freedom = self.count as f64;
        let bad = StatsError::NotFinite(freedom);
        let t = StudentsT::new(0.0, 1.0, freedom).map_err(|_| bad.clone())?;
        let square = ChiSquared::new(freedom).map_err(|_| bad)?;
        let share = |p: f64| {
            let of_rms = (square.inverse_cdf(p) / freedom).sqrt();
            Normal::standard().cdf(observed * of_rms)
        };
        let (value, ends) = (finite(t.cdf(observed))?, [share(0.5 - half), share(0.5 + half)]);
        let [low, high] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        Ok(Estimate { value, low: low.min(value), high: high.max(value) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn the_guard_is_passed_as_often_as_it_says() {
        // t(4; 0.99) = 3.746947; rms of these is 0.02
        let leads = Leads::of(&[0.02, -0.02, 0.02, -0.02]).unwrap();
        let guard = leads.guard(0.01).unwrap();
        assert!((guard - 3.746947 * 0.02).abs() < 1e-6, "{guard}");
        let chance = leads.chance_above(-guard, 0.95).unwrap();
        assert!((chance.value - 0.99).abs() < 1e-9, "{chance:?}");
        // χ²(4; 0.025) = 0.484419, χ²(4; 0.975) = 11.143287; Φ(3.746947 · √(χ²/4))
        let [low, high] = [0.484419f64, 11.143287]
            .map(|square| Normal::standard().cdf(3.746947 * (square / 4.0).sqrt()));
        assert!((chance.low - low).abs() < 1e-5 && (chance.high - high).abs() < 1e-5, "{chance:?}");
        let half = leads.chance_above(0.0, 0.95).unwrap();
        assert_eq!((half.value, half.low, half.high), (0.5, 0.5, 0.5));
        let mirrored = leads.chance_above(guard, 0.95).unwrap();
        assert!(
            (mirrored.value - 0.01).abs() < 1e-9 && (mirrored.low + chance.high - 1.0).abs() < 1e-9
        );
    }

    #[test]
    fn without_spread_all_is_certain() {
        let sure = |p: f64| Estimate { value: p, low: p, high: p };
        assert_eq!(Replays::of(&[0.5; 6]).unwrap().next(3, 0.95), Ok(sure(0.5)));
        let leads = Leads::of(&[0.0; 6]).unwrap();
        assert_eq!(leads.chance_above(-0.1, 0.95), Ok(sure(1.0)));
        assert_eq!(leads.chance_above(0.1, 0.95), Ok(sure(0.0)));
        assert_eq!(leads.chance_above(0.0, 0.95), Ok(sure(0.0)), "at the mark is not above it");
        assert_eq!(leads.guard(0.01), Ok(0.0));
    }

    #[test]
    fn refuses_what_has_no_answer() {
        assert_eq!(Replays::of(&[1.0]), Err(StatsError::TooFew { have: 1, need: 2 }));
        assert_eq!(Replays::new(1, 1.0, 0.1), Err(StatsError::TooFew { have: 1, need: 2 }));
        assert_eq!(Replays::new(3, 1.0, -0.1), Err(StatsError::Negative(-0.1)));
        assert!(Replays::new(3, f64::NAN, 0.1).is_err() && Replays::new(3, 1.0, f64::NAN).is_err());
        assert_eq!(Replays::of(&[1.0, 2.0]).unwrap().next(0, 0.95), Err(StatsError::Empty));
        assert!(Leads::of(&[]).is_err() && Leads::of(&[f64::NAN]).is_err());
        let leads = Leads::of(&[1.0, 2.0]).unwrap();
        assert!(leads.chance_above(f64::NAN, 0.95).is_err());
        for p in [0.0, 1.0, f64::NAN] {
            assert!(leads.chance_above(1.0, p).is_err() && leads.guard(p).is_err());
            assert!(Replays::of(&[1.0, 2.0]).unwrap().next(1, p).is_err());
        }
    }
}
