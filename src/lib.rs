//! speedgate grades *optimization steps*: somebody makes the functions of a real library faster
//! with unchanged output, and speedgate says whether every output is still right and how much
//! faster it is.
//!
//! The modules are the rooms of the house; an arrow (an import) only ever runs downward:
//!
//! ```text
//! cli -> (gate, timer, verdict, report) -> worker -> (build, sandbox) -> task
//! ```
//!
//! `stats` and `report::record` depend on nothing. `timer` takes calls and seeds from `gate`, for
//! what is timed is what could be checked; nothing goes back.

pub mod build;
pub mod cli;
pub mod gate;
pub mod report;
pub mod sandbox;
pub mod stats;
pub mod task;
pub mod timer;
pub mod verdict;
pub mod worker;
