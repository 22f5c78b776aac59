//! `v` and `r` from `s` and its marks.

use crate::report::record::{Decide, Outcome, Speedup};
use crate::stats::Estimate;

/// The marks of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Marks {
    /// Speedup of the reference solution.
    pub s_ref: f64,
    /// What a solution as fast as the reference solution passes 99 times in 100.
    pub pass_at: f64,
}

impl Marks {
    /// The one that decides.
    pub fn deciding(self, decide: Decide) -> f64 {
        match decide {
            Decide::PassAt => self.pass_at,
            Decide::SRef => self.s_ref,
        }
    }
}

/// Whether a step is fast enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Speed {
    /// `v`: `s` is above the mark.
    pub fast: bool,
    /// The interval of `s` lies wholly on the same side of the mark as `s` itself.
    pub confident: bool,
}

/// Holds `s` (ratios, not logarithms) against the deciding mark. Exactly at the mark is not above
/// it.
pub fn speed(s: Estimate, marks: Marks, decide: Decide) -> Speed {
    let mark = marks.deciding(decide);
    let fast = s.value > mark;
    Speed { fast, confident: if fast { s.low > mark } else { s.high <= mark } }
}

/// `r = c · v`.
pub fn reward(correct: bool, fast: bool) -> u8 {
    u8::from(correct && fast)
}

/// Outcome of a run in which nothing went wrong: a step without a verdict on its speed (no
/// calibration, nothing timed) passes on its outputs alone.
pub fn outcome(fast: Option<bool>) -> Outcome {
    if fast == Some(false) { Outcome::TooSlow } else { Outcome::Pass }
}

impl From<Estimate> for Speedup {
    fn from(e: Estimate) -> Self {
        Speedup { value: e.value, low: e.low, high: e.high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKS: Marks = Marks { s_ref: 3.0, pass_at: 2.0 };

    fn s(value: f64, low: f64, high: f64) -> Estimate {
        Estimate { value, low, high }
    }

    #[test]
    fn the_rule_picks_the_mark() {
        let between = s(2.5, 2.4, 2.6);
        let pass_at = speed(between, MARKS, Decide::PassAt);
        assert_eq!(pass_at, Speed { fast: true, confident: true });
        let s_ref = speed(between, MARKS, Decide::SRef);
        assert_eq!(s_ref, Speed { fast: false, confident: true });
    }

    #[test]
    fn an_interval_over_the_mark_is_not_confident() {
        assert_eq!(
            speed(s(2.1, 1.9, 2.3), MARKS, Decide::PassAt),
            Speed { fast: true, confident: false }
        );
        assert_eq!(
            speed(s(1.9, 1.7, 2.1), MARKS, Decide::PassAt),
            Speed { fast: false, confident: false }
        );
    }

    #[test]
    fn at_the_mark_is_not_above_it() {
        assert!(!speed(s(2.0, 2.0, 2.0), MARKS, Decide::PassAt).fast);
    }

    #[test]
    fn reward_needs_both() {
        for (c, v, r) in [(true, true, 1), (true, false, 0), (false, true, 0), (false, false, 0)] {
            assert_eq!(reward(c, v), r);
        }
        assert_eq!(outcome(Some(true)), Outcome::Pass);
        assert_eq!(outcome(Some(false)), Outcome::TooSlow);
        assert_eq!(outcome(None), Outcome::Pass);
    }
}
