//! Intervals of a mean, and where the next value may fall. Both assume the values to be
//! independent: they are for replicates, never for the calls inside one process.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::{StatsError, mean, sd};

/// A value and its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The best single number.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Estimate {
    /// Half of the interval's width.
    pub fn half_width(self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Distance from 0 to the far end.
    pub fn far(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// From logarithms of ratios to ratios.
    pub fn exp(self) -> Self {
        Estimate { value: self.value.exp(), low: self.low.exp(), high: self.high.exp() }
    }

    /// The same with nothing below `floor`.
    pub fn max(self, floor: f64) -> Self {
        Estimate {
            value: self.value.max(floor),
            low: self.low.max(floor),
            high: self.high.max(floor),
        }
    }
}

/// Mean of independent replicates with its two-sided Student-t interval at `confidence`
/// (such as 0.95). Needs two values; equal values give an interval of no width.
pub fn mean_interval(values: &[f64], confidence: f64) -> Result<Estimate, StatsError> {
    let (value, spread) = (mean(values)?, sd(values)?);
    let error = spread / (values.len() as f64).sqrt();
    let reach = t_two_sided((values.len() - 1) as f64, confidence)? * error;
    Ok(Estimate { value, low: value - reach, high: value + reach })
}

/// Refuses what is not between 0 and 1, and both of these.
pub(super) fn probability(p: f64) -> Result<f64, StatsError> {
    if p > 0.0 && p < 1.0 { Ok(p) } else { Err(StatsError::BadProbability(p)) }
}

/// How many standard errors a two-sided t interval reaches on either side.
pub(super) fn t_two_sided(freedom: f64, confidence: f64) -> Result<f64, StatsError> {
    t_quantile(freedom, 0.5 + probability(confidence)? / 2.0)
}

/// Quantile of Student's t distribution. `freedom` need not be whole (Welch–Satterthwaite).
pub(super) fn t_quantile(freedom: f64, p: f64) -> Result<f64, StatsError> {
    let p = probability(p)?;
    let t = StudentsT::new(0.0, 1.0, freedom).map_err(|_| StatsError::NotFinite(freedom))?;
    super::sample::finite(t.inverse_cdf(p))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the printed tables of Student's t distribution.
    #[test]
    fn t_quantiles_match_the_tables() {
        for (freedom, p, expected) in [
            (1.0, 0.975, 12.7062),
            (2.0, 0.975, 4.3027),
            (4.0, 0.95, 2.1318),
            (9.0, 0.99, 2.8214),
            (9.0, 0.975, 2.2622),
            (30.0, 0.975, 2.0423),
            (1000.0, 0.975, 1.9623),
        ] {
            let t = t_quantile(freedom, p).unwrap();
            assert!((t - expected).abs() < 1e-4, "t({freedom}; {p}) = {t}, table {expected}");
            assert!((t + t_quantile(freedom, 1.0 - p).unwrap()).abs() < 1e-6);
        }
    }

    #[test]
    fn interval_of_a_small_sample() {
        // n = 4, mean 2.5, s = 1.290994; t(3; 0.975) = 3.182446; reach = 2.054260
        let e = mean_interval(&[1.0, 2.0, 3.0, 4.0], 0.95).unwrap();
        assert!((e.value - 2.5).abs() < 1e-12);
        assert!((e.low - 0.445740).abs() < 1e-5 && (e.high - 4.554260).abs() < 1e-5, "{e:?}");
    }

    #[test]
    fn the_far_end_is_the_one_farther_from_zero() {
        let far = |low, high| Estimate { value: 0.5, low, high }.far();
        assert_eq!([far(-3.0, 2.0), far(-1.5, 2.0), far(0.25, 0.75)], [3.0, 2.0, 0.75]);
    }

    #[test]
    fn equal_values_have_no_width() {
        let e = mean_interval(&[0.5; 6], 0.95).unwrap();
        assert_eq!((e.value, e.low, e.high), (0.5, 0.5, 0.5));
    }

    #[test]
    fn refuses_what_has_no_answer() {
        let few = StatsError::TooFew { have: 1, need: 2 };
        assert_eq!(mean_interval(&[1.0], 0.95), Err(few));
        for p in [0.0, 1.0, -1.0, 2.0] {
            assert_eq!(t_quantile(3.0, p), Err(StatsError::BadProbability(p)));
            assert_eq!(mean_interval(&[1.0, 2.0], p), Err(StatsError::BadProbability(p)));
        }
        assert!(mean_interval(&[1.0, 2.0], f64::NAN).is_err());
    }
}
