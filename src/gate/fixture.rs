//! A gate, and buffers of a call, for the tests of this room.

use std::time::{Duration, Instant};

use speedgate_harness::seal::Algorithm;
use speedgate_harness::wire::Role;

use super::{Gate, Seed};
use crate::task::{Rule, Task};
use crate::worker::request::BufferInstance;

/// With public inputs, the seal that every processor has, and time enough.
pub fn gate<'a>(task: &'a Task, symbols: &'a [String]) -> Gate<'a> {
    Gate {
        task,
        symbols,
        seed: Seed::PUBLIC,
        algorithm: Algorithm::Portable,
        deadline: Instant::now() + Duration::from_secs(100),
    }
}

/// So many bytes at the end of their slot, at any place, that are compared with nothing.
pub fn buffer(role: Role, bytes: u64) -> BufferInstance {
    BufferInstance {
        role,
        bytes,
        room: 0,
        align: 1,
        phase: 0,
        at_start: false,
        output: None,
        kept: false,
        elem: 1,
        rule: Rule::default(),
        used: Vec::new(),
        content: Vec::new(),
        classes: Vec::new(),
    }
}
