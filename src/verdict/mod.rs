//! From measurements to a verdict: the score, its calibrated marks, the reward.
//!
//! ```text
//! grading    one run of a command, from the task's name to the reward files
//! setup      the machine, the sandbox, the cache; how workers are started
//! replay     marks made of the reference solution's replays, or checked;  rerun  how it is timed again
//! trial      one candidate against the reference: pace, control, marks, gate, timer, score
//! control    the reference against itself: this run's noise, and where effort is worth most
//! marks      what a step is held against: calibrated, and of this run
//! race       what the contests of a trial share;  end: what ends a trial early
//! inspect    an engineer's own code under sanitizers or memcheck; never a verdict
//! gating     the gate of a trial, and what a failure of it becomes;  failing: as the record tells it
//! under      calls of a replay in a debugger, outside of the sandbox
//! secrets    whether times depend on secrets
//! selftest   planted submissions put to the gate
//! score      v and r from s and its marks;  calibration  the file of marks
//! outline    findings of the other rooms as entries of the record
//! ```

pub mod calibration;
pub mod catalogue;
mod control;
mod end;
pub mod error;
mod failing;
mod gating;
pub mod grading;
pub mod inspect;
mod marks;
pub mod measure;
mod outline;
mod race;
pub mod replay;
pub mod request;
mod rerun;
pub mod reward;
pub mod score;
mod secrets;
pub mod selftest;
mod setup;
mod trial;
pub mod under;
