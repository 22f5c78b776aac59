//! The supervisor's end of a worker: its arena, the doorbell and the clock, its life and death.

mod answers;
mod arena;
pub mod clock;
pub mod cores;
mod doorbell;
mod fate;
#[cfg(any(test, feature = "fuzz"))]
mod imposter;
mod instance;
pub mod lease;
mod lifecycle;
mod loaded;
mod practice;
pub(crate) mod process;
pub mod request;
pub mod series;
mod tuning;

pub use answers::Results;
pub use arena::{audited, to_file as save_request};
pub use cores::Cores;
pub use fate::{Fate, Fault, Violation};
pub use lease::CoreLease;
pub use lifecycle::{Patience, Spec, Timed, Worker};
pub use practice::Workshop;
