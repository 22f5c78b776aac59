//! From measurements to a verdict: the score, its calibrated marks, the reward.

pub mod calibration;
pub mod catalogue;

mod end;
pub mod error;
pub mod grading;
mod outline;
mod race;
pub mod request;
pub mod reward;
pub mod score;
mod setup;
mod trial;
