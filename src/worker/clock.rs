//! The one clock: read by the supervisor, on its own core, and by nobody else.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A reading, in ticks of the source.
pub type Ticks = u64;

/// Where the time comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Source {
    /// The processor's time-stamp counter, invariant, at this many ticks a nanosecond.
    Tsc {
        /// Ticks a nanosecond.
        ticks_per_ns: f64,
    },
    /// `clock_gettime(CLOCK_MONOTONIC_RAW)`, in nanoseconds.
    Monotonic,
}

/// The clock of this process, chosen and measured on first use.
pub fn source() -> Source {
    static SOURCE: OnceLock<Source> = OnceLock::new();
    *SOURCE.get_or_init(detect)
}

/// Reads the clock before something starts.
#[inline]
pub fn start(source: Source) -> Ticks {
    match source {
        #[cfg(target_arch = "x86_64")]
        Source::Tsc { .. } => {
            // SAFETY: baseline instructions. The first fence lets everything before finish, the
            // second keeps what follows from starting before the counter is read.
            unsafe {
                std::arch::x86_64::_mm_lfence();
                let now = std::arch::x86_64::_rdtsc();
                std::arch::x86_64::_mm_lfence();
                now
            }
        }
        _ => monotonic(),
    }
}

/// Reads the clock after something ended.
#[inline]
pub fn stop(source: Source) -> Ticks {
    match source {
        #[cfg(target_arch = "x86_64")]
        Source::Tsc { .. } => {
            // SAFETY: as above; the fence keeps the read after the load that saw the end.
            unsafe {
                std::arch::x86_64::_mm_lfence();
                std::arch::x86_64::_rdtsc()
            }
        }
        _ => monotonic(),
    }
}

/// Nanoseconds of a difference of readings.
pub fn nanoseconds(source: Source, ticks: Ticks) -> f64 {
    match source {
        Source::Tsc { ticks_per_ns } => ticks as f64 / ticks_per_ns,
        Source::Monotonic => ticks as f64,
    }
}

fn monotonic() -> Ticks {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid pointer to a timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_RAW, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Whether the kernel says that the counter ticks at one rate in all power states.
pub fn tsc_is_invariant() -> bool {
    let flags = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let flags = flags.lines().find(|l| l.starts_with("flags")).unwrap_or("");
    ["constant_tsc", "nonstop_tsc"].iter().all(|f| flags.split_whitespace().any(|g| g == *f))
}

fn detect() -> Source {
    if !cfg!(target_arch = "x86_64") || !tsc_is_invariant() {
        return Source::Monotonic;
    }
    let tsc = Source::Tsc { ticks_per_ns: 1.0 };
    // Readings in pairs, the closest of several: a preemption between two must not count.
    let pair = || {
        (0..16)
            .map(|_| {
                let before = monotonic();
                let ticks = stop(tsc);
                (monotonic() - before, before, ticks)
            })
            .min()
            .expect("sixteen pairs")
    };
    let (_, ns0, t0) = pair();
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(20) {
        std::hint::spin_loop();
    }
    let (_, ns1, t1) = pair();
    let ticks_per_ns = t1.wrapping_sub(t0) as f64 / (ns1 - ns0) as f64;
    // No processor's counter runs outside 0.1 to 10 GHz: then something else is wrong with it.
    if (0.1..10.0).contains(&ticks_per_ns) {
        Source::Tsc { ticks_per_ns }
    } else {
        Source::Monotonic
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_does_not_run_backwards() {
        let source = source();
        let mut last = start(source);
        for _ in 0..10_000 {
            let now = stop(source);
            assert!(now >= last);
            last = now;
        }
    }

    #[test]
    fn nanoseconds_are_the_kernels() {
        let source = source();
        let (ticks, ns) = (start(source), monotonic());
        std::thread::sleep(Duration::from_millis(30));
        let ours = nanoseconds(source, stop(source) - ticks);
        let kernel = (monotonic() - ns) as f64;
        // Both span the same sleep; on a loaded machine the two reads may be far apart.
        assert!((ours / kernel - 1.0).abs() < 0.5, "{ours} against {kernel}");
    }
}
