//! How far values are from what they should be, over any number of them in little memory.

use std::collections::BTreeMap;

/// Errors of some values, in units of the last place.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Accuracy {
    count: u64,
    differing: u64,
    max: f64,
    max_abs: f64,
    sum: f64,
    signed: f64,
    /// How many errors have these leading bits: four parts to each doubling.
    buckets: BTreeMap<u16, u64>,
}

/// Leading bits of an error: its exponent and two more.
fn bucket(error: f64) -> u16 {
    (error.to_bits() >> 50) as u16
}

/// Upper end of a bucket.
fn upper(bucket: u16) -> f64 {
    f64::from_bits(((u64::from(bucket) + 1) << 50) - 1)
}

impl Accuracy {
    /// Adds one value's error, in units of the last place and as such. Errors that are no finite
    /// number are not counted.
    pub fn add(&mut self, ulp: f64, abs: f64) {
        if !ulp.is_finite() || !abs.is_finite() {
            return;
        }
        self.count += 1;
        self.signed += ulp;
        let ulp = ulp.abs();
        self.differing += u64::from(ulp > 0.0);
        self.max = self.max.max(ulp);
        self.max_abs = self.max_abs.max(abs.abs());
        self.sum += ulp;
        *self.buckets.entry(bucket(ulp)).or_default() += 1;
    }

    /// Values that were counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Share of values that have any error.
    pub fn differing(&self) -> f64 {
        self.differing as f64 / self.count.max(1) as f64
    }

    /// Largest error, ULP.
    pub fn max(&self) -> f64 {
        self.max
    }

    /// Largest error, as such.
    pub fn max_abs(&self) -> f64 {
        self.max_abs
    }

    /// Mean size of an error, ULP.
    pub fn mean(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }

    /// Mean of the signed errors, ULP.
    pub fn bias(&self) -> f64 {
        self.signed / self.count.max(1) as f64
    }

    /// An error that at least 99 of 100 values do not exceed, ULP; at most a quarter above the
    /// smallest such error.
    pub fn p99(&self) -> f64 {
        let wanted = self.count - self.count / 100;
        let mut seen = 0;
        for (&bucket, &count) in &self.buckets {
            seen += count;
            if seen >= wanted {
                let end = if bucket == 0 { 0.0 } else { upper(bucket) };
                return end.min(self.max);
            }
        }
        self.max
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_is_no_error() {
        let none = Accuracy::default();
        assert_eq!((none.count(), none.max(), none.mean(), none.p99()), (0, 0.0, 0.0, 0.0));
    }

    #[test]
    fn a_few_bad_values_are_in_the_largest_but_not_in_the_99th() {
        let mut all = Accuracy::default();
        (0..996).for_each(|i| all.add(if i % 2 == 0 { 0.0 } else { 1.0 }, 0.1));
        (0..4).for_each(|_| all.add(-5000.0, 3.0));
        all.add(f64::NAN, 0.0);
        all.add(f64::INFINITY, 0.0);
        assert_eq!((all.count(), all.max(), all.max_abs()), (1000, 5000.0, 3.0));
        assert!((1.0..=1.25).contains(&all.p99()), "{}", all.p99());
        assert!((all.bias() - (498.0 - 20_000.0) / 1000.0).abs() < 1e-9);
        assert!((all.mean() - (498.0 + 20_000.0) / 1000.0).abs() < 1e-9);
        assert!((all.differing() - 0.502).abs() < 1e-9);
    }

    #[test]
    fn a_bucket_ends_right_below_the_next() {
        let one = bucket(1.0);
        assert_eq!((upper(one), upper(one - 1)), (1.25f64.next_down(), 1f64.next_down()));
        assert_eq!((bucket(1.25f64.next_down()), bucket(1.25)), (one, one + 1));
        assert_eq!((bucket(2.0), bucket(0.0)), (one + 4, 0));
    }

    proptest! {
        #[test]
        fn the_99th_percentile_is_within_a_quarter(errors in prop::collection::vec(0f64..1e6, 1..500)) {
            let mut all = Accuracy::default();
            errors.iter().for_each(|e| all.add(*e, *e));
            let mut sorted = errors.clone();
            sorted.sort_by(f64::total_cmp);
            let right = sorted[errors.len() - errors.len() / 100 - 1];
            prop_assert!(all.p99() >= right && all.p99() <= right * 1.25 + 1e-300);
        }
    }
}
