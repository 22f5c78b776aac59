//! Whether somebody else had the processor while a request was timed, as the kernel counts it.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// How long a process was ready to run and did not: the kernel's count. Sleeping does not add to
/// it, so a worker can't have a slow call dropped by giving up its core.
#[derive(Debug)]
pub struct Waited(Option<File>);

impl Waited {
    /// Of a process. Where the kernel keeps no such count, it stays 0.
    pub fn of(pid: u32) -> Self {
        Self(File::open(format!("/proc/{pid}/schedstat")).ok())
    }

    /// Nanoseconds so far.
    pub fn nanoseconds(&self) -> u64 {
        let mut text = [0; 64];
        let read = self.0.as_ref().and_then(|f| f.read_at(&mut text, 0).ok());
        read.map_or(0, |len| field(&text[..len]))
    }
}

/// Second of the three fields of `schedstat`: time on the processor, time waiting for it, turns.
fn field(text: &[u8]) -> u64 {
    let text = std::str::from_utf8(text).unwrap_or("");
    text.split_whitespace().nth(1).and_then(|f| f.parse().ok()).unwrap_or(0)
}

/// How often the calling thread lost its processor without asking for it.
pub fn this_thread() -> i64 {
    // SAFETY: a valid pointer to a plain structure that the kernel fills.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_THREAD, &mut usage);
        usage.ru_nivcsw
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_field_counts() {
        assert_eq!(field(b"12 345 6\n"), 345);
        assert_eq!(field(b""), 0);
        assert_eq!(field(b"12"), 0);
    }

    #[test]
    fn a_live_process_has_a_count_that_does_not_fall() {
        let waited = Waited::of(std::process::id());
        let first = waited.nanoseconds();
        std::thread::yield_now();
        assert!(waited.nanoseconds() >= first);
    }
}
