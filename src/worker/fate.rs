//! What can become of a worker instead of an answer.

use std::fmt;

use speedgate_harness::abi;

/// Why a worker gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fate {
    /// It ended by itself.
    #[error("the process left with exit code {0} in the middle of a request")]
    Exited(i32),
    /// A signal ended it.
    #[error("the process died of {}{}", signal_name(*signal), fault.as_ref().map_or(String::new(), |f| format!(": {f}")))]
    Signalled {
        /// Signal number.
        signal: i32,
        /// What it hit, as far as the worker itself could tell.
        fault: Option<Fault>,
    },
    /// The kernel ended it for a system call.
    #[error("the process was killed for a system call that no library of functions needs")]
    ForbiddenSyscall,
    /// It used up its time.
    #[error("no answer after {cpu_ms} ms of CPU time and {wall_ms} ms in all")]
    Hung {
        /// CPU time since the request, ms.
        cpu_ms: u64,
        /// Wall time since the request, ms.
        wall_ms: u64,
    },
    /// It grew beyond its limit.
    #[error("the process grew to {resident_mb} MiB, the limit is {limit_mb} MiB")]
    OutOfMemory {
        /// Resident size, MiB.
        resident_mb: u64,
        /// Limit, MiB.
        limit_mb: u64,
    },
    /// It stopped itself, or has itself traced.
    #[error("the process stopped itself in the middle of a request")]
    Stopped,
    /// Its library could not be loaded.
    #[error("the library could not be loaded: {0}")]
    LoadFailed(String),
    /// It answered nonsense: graded code wrote over the driver or the arena.
    #[error("the worker's driver reported status {0}: something wrote over the request")]
    Corrupted(u32),
    /// Our own system call failed.
    #[error("supervisor: {0}")]
    Ours(String),
}

/// An access outside a buffer, as the worker's own handler saw it: a help for honest code, never
/// evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Index of the buffer in the request.
    pub buffer: usize,
    /// Address of the access relative to the buffer's first byte.
    pub offset: i64,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "access at byte {} of buffer {}", self.offset, self.buffer)
    }
}

/// What a call left in disorder, as the worker's own stub saw it: a help for honest code, never
/// evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Violation {
    /// Index of the C call within its unit.
    pub call: usize,
    bits: u32,
}

impl Violation {
    /// From what a worker noted; `None` if that is nothing.
    pub fn new(call: u32, bits: u32) -> Option<Self> {
        let bits = bits & abi::VIOLATIONS;
        (bits != 0).then_some(Violation { call: call as usize, bits })
    }

    /// Without what `other` did as well; `None` if nothing is left.
    pub fn without(self, other: Option<Violation>) -> Option<Self> {
        let known = other.map_or(0, |v| v.bits);
        Self::new(self.call as u32, self.bits & !known)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(abi::violation(self.bits).unwrap_or("nothing"))
    }
}

/// Name of a signal, or its number.
pub fn signal_name(signal: i32) -> String {
    nix::sys::signal::Signal::try_from(signal)
        .map_or_else(|_| format!("signal {signal}"), |s| s.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violation_is_what_the_reference_does_not_do_as_well() {
        let noted = |bits| Violation::new(1, bits);
        assert_eq!(noted(0), None);
        assert_eq!(noted(!abi::VIOLATIONS), None, "bits of nothing that is checked");
        let both = noted(0b11).unwrap();
        assert_eq!(both.without(noted(0b10)), noted(0b01));
        assert_eq!(both.without(noted(0b11)), None);
        assert_eq!(both.without(None), Some(both));
        assert_eq!(both.to_string(), abi::violation(1).unwrap());
    }
}
