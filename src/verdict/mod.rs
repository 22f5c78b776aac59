//! From measurements to a verdict: the score, its calibrated marks, the reward.
//!
//! ```text
//! grading    one run of a command, from the task's name to the reward files
//! setup      the machine, the sandbox, the cache; how workers are started
//! trial      one candidate against the reference: pace, control, marks, gate, timer, score
//! race       what the contests of a trial share;  end: what ends a trial early
//! selftest   planted submissions put to the gate
//! outline    findings of the other rooms as entries of the record
//! ```

pub mod calibration;
pub mod catalogue;
mod end;
pub mod error;
pub mod grading;
pub mod measure;
mod outline;
mod race;
pub mod request;
pub mod reward;
pub mod score;
pub mod selftest;
mod setup;
mod trial;
