//! Location and spread of a sample, and what a time has to be.

use super::StatsError;

/// Refuses an empty sample and any value that is not finite.
fn checked(values: &[f64]) -> Result<&[f64], StatsError> {
    match values.iter().find(|v| !v.is_finite()) {
        Some(bad) => Err(StatsError::NotFinite(*bad)),
        None if values.is_empty() => Err(StatsError::Empty),
        None => Ok(values),
    }
}

/// Refuses a time that is not finite, zero or negative, each by its own error.
pub fn positive(time: f64) -> Result<f64, StatsError> {
    if !time.is_finite() {
        Err(StatsError::NotFinite(time))
    } else if time > 0.0 {
        Ok(time)
    } else if time == 0.0 {
        Err(StatsError::Zero)
    } else {
        Err(StatsError::Negative(time))
    }
}

/// Refuses a result that left the range of `f64`.
pub(super) fn finite(value: f64) -> Result<f64, StatsError> {
    if value.is_finite() { Ok(value) } else { Err(StatsError::NotFinite(value)) }
}

/// Arithmetic mean.
pub fn mean(values: &[f64]) -> Result<f64, StatsError> {
    let values = checked(values)?;
    finite(values.iter().sum::<f64>() / values.len() as f64)
}

/// Sample standard deviation (divisor n − 1); needs two values.
pub fn sd(values: &[f64]) -> Result<f64, StatsError> {
    let centre = mean(values)?;
    if values.len() < 2 {
        return Err(StatsError::TooFew { have: values.len(), need: 2 });
    }
    let squares: f64 = values.iter().map(|v| (v - centre).powi(2)).sum();
    finite((squares / (values.len() - 1) as f64).sqrt())
}

/// Quantile `p` in `0..=1`, linear between the order statistics (R's type 7).
pub fn quantile(values: &[f64], p: f64) -> Result<f64, StatsError> {
    if !(0.0..=1.0).contains(&p) {
        return Err(StatsError::BadProbability(p));
    }
    let mut sorted = checked(values)?.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = p * (sorted.len() - 1) as f64;
    let below = place as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let share = place - below as f64;
    finite(sorted[below] * (1.0 - share) + sorted[above] * share)
}

/// Median.
pub fn median(values: &[f64]) -> Result<f64, StatsError> {
    quantile(values, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_small_cases() {
        assert_eq!(mean(&[1.0, 2.0, 6.0]), Ok(3.0));
        assert_eq!(median(&[5.0, 1.0, 3.0]), Ok(3.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Ok(2.5));
        assert_eq!(quantile(&[10.0, 20.0, 30.0, 40.0, 50.0], 0.25), Ok(20.0));
        assert_eq!(quantile(&[0.0, 1.0], 0.3), Ok(0.3));
        assert_eq!(quantile(&[7.0], 0.99), Ok(7.0));
        assert_eq!(sd(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]), Ok((32.0f64 / 7.0).sqrt()));
    }

    #[test]
    fn each_bad_time_has_its_own_error() {
        assert_eq!(positive(2.5), Ok(2.5));
        assert_eq!(positive(0.0), Err(StatsError::Zero));
        assert_eq!(positive(-2.0), Err(StatsError::Negative(-2.0)));
        assert_eq!(positive(f64::INFINITY), Err(StatsError::NotFinite(f64::INFINITY)));
        assert!(matches!(positive(f64::NAN), Err(StatsError::NotFinite(_))));
    }

    #[test]
    fn refuses_what_has_no_answer() {
        assert_eq!(mean(&[]), Err(StatsError::Empty));
        assert_eq!(median(&[]), Err(StatsError::Empty));
        assert_eq!(sd(&[1.0]), Err(StatsError::TooFew { have: 1, need: 2 }));
        assert_eq!(quantile(&[1.0], 1.5), Err(StatsError::BadProbability(1.5)));
        assert!(matches!(quantile(&[1.0], f64::NAN), Err(StatsError::BadProbability(_))));
        assert!(matches!(median(&[1.0, f64::NAN]), Err(StatsError::NotFinite(_))));
        assert!(matches!(mean(&[f64::MAX, f64::MAX]), Err(StatsError::NotFinite(_))));
    }
}
