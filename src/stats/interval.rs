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

/// Lower normal prediction bound: the next independent value lies below it with probability
/// `p`. With n values of mean m and sample deviation s it is m − t(n−1; 1−p) · s · √(1 + 1/n).
/// Needs two values.
pub fn prediction_bound(values: &[f64], p: f64) -> Result<f64, StatsError> {
    let (centre, spread) = (mean(values)?, sd(values)?);
    let n = values.len() as f64;
    Ok(centre - t_quantile(n - 1.0, 1.0 - p)? * spread * (1.0 + 1.0 / n).sqrt())
}

/// How far a value may lie below the one right before it, exceeded with probability `p`, where all
/// drift slowly together: of each series of values (spaced out from the next) only the differences
/// of neighbours count. Their root mean square d̄ is the standard deviation of such a difference
/// (von Neumann's ratio, Ann. Math. Stat. 12 (1941) 367: as good as 2/3 as many independent ones),
/// and the bound t(2k/3; 1−p) · d̄. Needs two differences.
pub fn step_bound(series: &[Vec<f64>], p: f64) -> Result<f64, StatsError> {
    let squares: Vec<f64> =
        series.iter().flat_map(|s| s.windows(2)).map(|w| (w[1] - w[0]).powi(2)).collect();
    if squares.len() < 2 {
        return Err(StatsError::TooFew { have: squares.len(), need: 2 });
    }
    let freedom = 2.0 / 3.0 * squares.len() as f64;
    Ok(t_quantile(freedom, 1.0 - p)? * mean(&squares)?.sqrt())
}

/// How many standard errors a two-sided t interval reaches on either side.
pub(super) fn t_two_sided(freedom: f64, confidence: f64) -> Result<f64, StatsError> {
    if !(confidence > 0.0 && confidence < 1.0) {
        return Err(StatsError::BadProbability(confidence));
    }
    t_quantile(freedom, 0.5 + confidence / 2.0)
}

/// Quantile of Student's t distribution. `freedom` need not be whole (Welch–Satterthwaite).
fn t_quantile(freedom: f64, p: f64) -> Result<f64, StatsError> {
    if !(p > 0.0 && p < 1.0) {
        return Err(StatsError::BadProbability(p));
    }
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
    fn equal_values_have_no_width() {
        let e = mean_interval(&[0.5; 6], 0.95).unwrap();
        assert_eq!((e.value, e.low, e.high), (0.5, 0.5, 0.5));
        assert_eq!(prediction_bound(&[0.5; 6], 0.01), Ok(0.5));
    }

    #[test]
    fn prediction_bound_of_a_small_sample() {
        // t(3; 0.99) = 4.540703; 2.5 − 4.540703 · 1.290994 · √1.25 = −4.053990
        let low = prediction_bound(&[1.0, 2.0, 3.0, 4.0], 0.01).unwrap();
        assert!((low + 4.053990).abs() < 1e-4, "{low}");
    }

    #[test]
    fn refuses_what_has_no_answer() {
        let few = StatsError::TooFew { have: 1, need: 2 };
        assert_eq!(mean_interval(&[1.0], 0.95), Err(few.clone()));
        assert_eq!(prediction_bound(&[1.0], 0.01), Err(few));
        for p in [0.0, 1.0, -1.0, 2.0] {
            assert_eq!(mean_interval(&[1.0, 2.0], p), Err(StatsError::BadProbability(p)));
            assert!(prediction_bound(&[1.0, 2.0], p).is_err());
        }
        assert!(mean_interval(&[1.0, 2.0], f64::NAN).is_err());
    }
}
