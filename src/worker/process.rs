//! What the kernel counts of a process: time on the processor, time waiting for it, memory.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

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

/// Has the allocator keep what is freed. Sets of inputs are made and dropped block after block; if
/// their pages went back each time, faulting them in again would cost more than making the inputs.
pub fn keep_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: sets two of the allocator's numbers, under its own lock.
    unsafe {
        libc::mallopt(libc::M_TRIM_THRESHOLD, 256 << 20);
        libc::mallopt(libc::M_MMAP_THRESHOLD, 16 << 20);
    }
}

/// How often the calling thread lost its processor without asking for it.
pub fn preempted() -> i64 {
    // SAFETY: a valid pointer to a plain structure that the kernel fills.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_THREAD, &mut usage);
        usage.ru_nivcsw
    }
}

/// Timed windows of all workers of this process since it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bursts {
    /// All of them.
    pub all: u64,
    /// Those in which somebody else had one of the two cores.
    pub disturbed: u64,
}

static ALL: AtomicU64 = AtomicU64::new(0);
static DISTURBED: AtomicU64 = AtomicU64::new(0);

/// The count so far.
pub fn bursts() -> Bursts {
    Bursts { all: ALL.load(Ordering::Relaxed), disturbed: DISTURBED.load(Ordering::Relaxed) }
}

/// Adds one to it.
pub fn count_burst(disturbed: bool) {
    ALL.fetch_add(1, Ordering::Relaxed);
    DISTURBED.fetch_add(u64::from(disturbed), Ordering::Relaxed);
}

impl Bursts {
    /// Those that came since an earlier count.
    pub fn since(self, earlier: Self) -> Self {
        Self {
            all: self.all.saturating_sub(earlier.all),
            disturbed: self.disturbed.saturating_sub(earlier.disturbed),
        }
    }

    /// Share of the disturbed ones; none without any.
    pub fn disturbed_share(self) -> Option<f64> {
        (self.all > 0).then(|| self.disturbed as f64 / self.all as f64)
    }
}

/// Whether a process sleeps: it has done all that it was asked.
pub fn asleep(pid: u32) -> bool {
    state(&fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default()) == Some('S')
}

/// The state in `/proc/PID/stat`, after the name in parentheses, which may hold anything.
fn state(stat: &str) -> Option<char> {
    stat.rsplit_once(')')?.1.trim_start().chars().next()
}

/// Memory that is a process's own, bytes: anonymous, and shared beyond `arena` bytes (all that may
/// be in memory of the arena it shares with us).
pub fn own_bytes(pid: u32, arena: u64) -> u64 {
    own(&fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default(), arena)
}

fn own(status: &str, arena: u64) -> u64 {
    let bytes = |name: &str| -> u64 {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kib = line.and_then(|l| l.split_whitespace().next()?.parse::<u64>().ok());
        kib.unwrap_or(0) << 10
    };
    bytes("RssAnon:") + bytes("RssShmem:").saturating_sub(arena)
}

/// Time that a process has spent on the processor; zero if it is gone.
pub fn cpu_time(pid: u32) -> Duration {
    let mut id = 0;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: valid pointers; a pid that is gone gives an error.
    let known = unsafe {
        libc::clock_getcpuclockid(pid as libc::pid_t, &mut id) == 0
            && libc::clock_gettime(id, &mut time) == 0
    };
    if known { Duration::new(time.tv_sec as u64, time.tv_nsec as u32) } else { Duration::ZERO }
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

    #[test]
    fn disturbed_bursts_are_a_share_of_those_since() {
        let before = bursts();
        count_burst(true);
        count_burst(false);
        // Other tests may count, too.
        let since = bursts().since(before);
        assert!(since.all >= 2 && since.disturbed >= 1);
        assert_eq!(Bursts { all: 4, disturbed: 1 }.disturbed_share(), Some(0.25));
        assert_eq!(Bursts { all: 0, disturbed: 0 }.disturbed_share(), None);
    }

    #[test]
    fn the_state_follows_the_name() {
        assert_eq!(state("7 (a) S b) R 1 2"), Some('R'));
        assert_eq!(state("7 (a) S 1 2"), Some('S'));
        assert_eq!(state(""), None);
    }

    #[test]
    fn a_process_that_waits_is_asleep_and_one_that_is_gone_is_not() {
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        while !asleep(child.id()) {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!asleep(child.id()));
    }

    #[test]
    fn shared_memory_beyond_the_arena_counts() {
        let status = "Name:\tx\nRssAnon:\t     100 kB\nRssFile:\t 999 kB\nRssShmem:\t      50 kB\n";
        assert_eq!(own(status, 20 << 10), 130 << 10);
        assert_eq!(own(status, 1 << 20), 100 << 10);
        assert_eq!(own("", 0), 0);
        assert!(own_bytes(std::process::id(), 0) > 0);
    }
}
