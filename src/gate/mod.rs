//! The gate: the same requests as the timer's, sized and placed for trouble, every answer compared
//! with the oracle's.

mod compare;
pub mod generators;
pub mod instance;
pub mod plan;
mod run;

pub use compare::Mismatch;
pub use plan::{Case, Origin, Plan};
pub use run::{Failure, Gate};
