//! Pure mathematics of a measurement: no clocks, no I/O, and nothing of the other rooms.
//!
//! Ratios live as natural logarithms from the first block to the last table: there a speedup and
//! the slowdown that undoes it are equally far from nothing, and means of ratios make sense.
//! Only [`Estimate::exp`] turns them back.
//!
//! ```text
//! input      ln(T_ref − N) − ln(T_cand − N)
//! replicate  median over its inputs                        [`median`]
//! layout     mean over the replicates that share it
//! function   Σ w_p x_p / Σ w_p, then the mean over replicates   [`FunctionEstimate`]
//! step       mean over functions of max(0, x_f)            [`StepEstimate`]
//! secrets    Welch's t of times, fixed against random          [`leak`](fn@leak)
//! ```

mod accuracy;
mod components;
pub mod counters;
mod error;
mod interval;
mod leak;
mod predict;
mod sample;
mod step;

pub use accuracy::Accuracy;
pub use components::{Components, components};
pub use error::StatsError;
pub use interval::{Estimate, mean_interval};
pub use leak::{BOUND, CUTS, Leak, leak};
pub use predict::{Leads, Replays};
pub use sample::{mean, median, positive, quantile, sd};
pub use step::{FunctionEstimate, ProfileRatios, Rival, StepEstimate, floor_bias, guard, raw};
