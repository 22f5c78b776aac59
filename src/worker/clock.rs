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

/// Whether the counter ticks at one rate in all power states: the processor says so (leaf
/// 8000_0007h, EDX bit 8).
pub fn tsc_is_invariant() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::__cpuid;
        __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & (1 << 8) != 0
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Rate of the time-stamp counter, GHz, where it is the clock.
pub fn tsc_ghz() -> Option<f64> {
    match source() {
        Source::Tsc { ticks_per_ns } => Some(ticks_per_ns),
        Source::Monotonic => None,
    }
}

/// Share by which the counter's rate since its first use differs from the one that times are
/// computed with. `None` where another clock is used.
pub fn drift() -> Option<f64> {
    let Source::Tsc { ticks_per_ns } = source() else { return None };
    let now = Pair::take();
    // Over a shorter time the two readings' own distance would show.
    let long = now.nanoseconds.saturating_sub(first_pair().nanoseconds) >= 100_000_000;
    long.then(|| now.rate_since(first_pair()) / ticks_per_ns - 1.0)
}

/// The kernel's clock and the counter, read one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    /// Time between the two; first, so that the least is the closest.
    apart: u64,
    nanoseconds: u64,
    ticks: Ticks,
}

impl Pair {
    /// The closest of several: a preemption between the two must not count.
    fn take() -> Self {
        let tsc = Source::Tsc { ticks_per_ns: 1.0 };
        let one = || {
            let nanoseconds = monotonic();
            let ticks = stop(tsc);
            Self { apart: monotonic() - nanoseconds, nanoseconds, ticks }
        };
        (0..16).map(|_| one()).min().expect("sixteen pairs")
    }

    /// Ticks a nanosecond since an earlier pair.
    fn rate_since(self, earlier: Self) -> f64 {
        self.ticks.wrapping_sub(earlier.ticks) as f64
            / self.nanoseconds.saturating_sub(earlier.nanoseconds) as f64
    }
}

fn first_pair() -> Pair {
    static FIRST: OnceLock<Pair> = OnceLock::new();
    *FIRST.get_or_init(Pair::take)
}

fn detect() -> Source {
    if !tsc_is_invariant() {
        return Source::Monotonic;
    }
    let first = first_pair();
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(20) {
        std::hint::spin_loop();
    }
    let ticks_per_ns = Pair::take().rate_since(first);
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

    #[test]
    fn the_rate_is_that_between_two_pairs() {
        let first = Pair { apart: 1, nanoseconds: 1_000, ticks: u64::MAX - 999 };
        let second = Pair { apart: 1, nanoseconds: 2_000, ticks: 2_000 };
        assert_eq!(second.rate_since(first), 3.0);
        // The closest pair is taken, not the earliest.
        assert!(Pair { apart: 1, nanoseconds: 9, ticks: 9 } < Pair { apart: 2, ..first });
    }

    #[test]
    fn a_rate_is_measured_exactly_where_the_counter_is_the_clock() {
        let tsc = matches!(source(), Source::Tsc { .. });
        assert_eq!(tsc_ghz().is_some(), tsc);
        assert!(!tsc || tsc_is_invariant());
        std::thread::sleep(Duration::from_millis(110));
        assert_eq!(drift().is_some(), tsc);
        assert!(drift().is_none_or(|d| d.abs() < 0.5));
    }
}
