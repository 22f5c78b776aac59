//! What runs inside a worker: the driver, the seal, the call stub, and the layout of the shared
//! page. The supervisor uses [`wire`], [`shared`], [`bell`] and [`seal`] too, so that both sides
//! mean the same.

pub mod abi;
mod alone;
pub mod bell;
mod cache;
pub mod confine;
mod driver;
mod fault;
pub mod filter;
mod pool;
pub mod practice;
pub mod seal;
mod series;
pub mod shared;
mod slots;
mod stage;
mod stub;
pub mod wire;

mod entry;

pub use alone::{ALONE, alone_entry};
pub use entry::{ARENA_FD, LIBRARY_FD, Setup, WORKER_NAME, worker_entry};
pub use slots::MAX_BUFFERS;
