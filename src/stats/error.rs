//! Why a number could not be computed. Every refusal is typed: a statistic is never NaN.

/// Why a number could not be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StatsError {
    /// No values at all.
    #[error("there are no values")]
    Empty,
    /// Fewer values than the statistic needs.
    #[error("{have} values are too few: {need} are needed")]
    TooFew {
        /// Values given.
        have: usize,
        /// Values needed.
        need: usize,
    },
    /// NaN or infinite.
    #[error("a value is not finite: {0}")]
    NotFinite(f64),
    /// A time (or another value that must be above zero) is zero: the clock did not tick.
    #[error("a time is zero")]
    Zero,
    /// A time (or another value that must be above zero) is negative: the clock ran backwards.
    #[error("a time is negative: {0}")]
    Negative(f64),
    /// A weight is zero, negative or not finite.
    #[error("a weight must be a positive finite number, not {0}")]
    BadWeight(f64),
    /// A probability outside the open interval (0, 1).
    #[error("a probability must lie between 0 and 1, not at {0}")]
    BadProbability(f64),
    /// The profiles of one function have different numbers of replicates.
    #[error("a function's profiles differ in their numbers of replicates: {0} and {1}")]
    Uneven(usize, usize),
}
