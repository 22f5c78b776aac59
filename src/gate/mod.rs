//! The gate: the same requests as the timer's, sized and placed for trouble, every answer compared
//! with the oracle's.

mod batch;
pub mod case;
mod checked;
pub mod compare;
mod coverage;
mod describe;
mod examine;
#[cfg(test)]
mod fixture;
pub mod generators;
pub mod instance;
#[cfg(any(test, feature = "fuzz"))]
pub mod ordeal;
pub mod own;
#[cfg(test)]
mod pinned;
pub mod plan;
mod reach;
mod run;
mod schedule;
mod seed;
pub mod shrink;
pub mod simple;

pub use batch::collect;
pub use case::{Case, Origin, Placement};
pub use checked::Checked;
pub use compare::{Kept, Mismatch, Place};
pub use coverage::{Coverage, Group, lint};
pub use describe::{describe, judge};
pub use plan::Plan;
pub use reach::Side;
pub use run::{Failure, Gate, Stopped};
pub use schedule::{Ended, Schedule, Tally};
pub use seed::{BadSeed, Seed};
