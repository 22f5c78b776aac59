//! Pure mathematics of a measurement: no clocks, no I/O, and nothing of the other rooms.
//!
//! Ratios live as natural logarithms from the first block to the last table: there a speedup and
//! the slowdown that undoes it are equally far from nothing, and means of ratios make sense.
//! Only [`Estimate::exp`] turns them back.
//!
//! ```text
//! block      ln(T_ref − N) − ln(T_cand − N)                [`log_ratio`], [`net_time`]
//! replicate  median over its blocks                        [`median`]
//! function   Σ w_p x_p / Σ w_p, then the mean over replicates   [`FunctionEstimate`]
//! step       mean over functions of max(0, x_f)            [`StepEstimate`]
//! ```

pub mod counters;
mod error;
mod interval;
mod sample;
mod step;

pub use error::StatsError;
pub use interval::{Estimate, mean_interval, prediction_bound};
pub use sample::{geometric_mean, log_ratio, mad, mean, median, net_time, quantile, sd};
pub use step::{FunctionEstimate, ProfileRatios, StepEstimate, floor_bias};
