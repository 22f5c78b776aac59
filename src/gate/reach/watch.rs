//! Counts executions of functions in a worker with hardware breakpoints, set from outside.

use std::io;

use perf_event::events::Breakpoint;
use perf_event::{Builder, Counter};

use crate::worker::Worker;

/// Breakpoints that a processor has at least.
pub(super) const AT_ONCE: usize = 4;

/// Breakpoints on some functions of one worker.
pub(super) struct Watch(Vec<Counter>);

impl Watch {
    /// Sets them; `functions` are addresses relative to the beginning of the library's file.
    ///
    /// # Errors
    /// Whatever the kernel says: breakpoints are refused, or there are none left.
    pub fn set(worker: &Worker, functions: &[u64]) -> io::Result<Self> {
        let base = worker.library_base()?;
        let mut counters = Vec::with_capacity(functions.len());
        for function in functions {
            let place = Breakpoint::execute(base.wrapping_add(*function));
            let mut counter = Builder::new(place)
                .observe_pid(worker.pid() as libc::pid_t)
                .any_cpu()
                .exclude_kernel(true)
                .exclude_hv(true)
                .build()?;
            counter.enable()?;
            counters.push(counter);
        }
        Ok(Self(counters))
    }

    /// Executions of each so far.
    ///
    /// # Errors
    /// Whatever the kernel says.
    pub fn counts(&mut self) -> io::Result<Vec<u64>> {
        self.0.iter_mut().map(Counter::read).collect()
    }
}
