//! A supervisor's end whose other end is whoever has the arena: for tests and the fuzzer alone.

use std::io;
use std::process::Child;

use speedgate_harness::shared::Shared;

use super::arena::Arena;
use super::clock;
use super::lifecycle::Worker;
use super::process::Waited;
use super::series::Series;
use super::tuning::Choice;

impl Worker {
    /// A worker that was never started: `child` is who is waited for and ended, the arena is handed
    /// to whoever plays its part. It is valid for as long as the worker is.
    ///
    /// # Errors
    /// Whatever the kernel says.
    pub fn around(child: Child, arena_bytes: usize) -> io::Result<(Worker, Shared)> {
        let (arena, _) = Arena::new(arena_bytes)?;
        let shared = arena.shared();
        let waited = Waited::of(child.id());
        let worker = Worker {
            arena,
            child,
            spin: false,
            memory_mb: 1024,
            inside: 0,
            bells: Choice::FIRST,
            staged: None,
            series: Series::default(),
            preparing: 0,
            loading: std::time::Duration::ZERO,
            ended: None,
            source: clock::source(),
            waited,
            waits: (0, 0),
            resumed: false,
            swept: None,
            group: None,
        };
        Ok((worker, shared))
    }
}
