//! The doorbell's common part: waiting on a word of the arena, by spinning or in the kernel.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::shared::Shared;
use crate::wire;

/// Sleeps until the low half of `word` differs from that of `old`, or `timeout` passes.
pub fn futex_wait(word: &AtomicU64, old: u64, timeout: Option<std::time::Duration>) {
    let spec = timeout.map(|t| libc::timespec {
        tv_sec: t.as_secs() as libc::time_t,
        tv_nsec: t.subsec_nanos() as libc::c_long,
    });
    let spec = spec.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: the word is 8-byte aligned shared memory; on a little-endian machine its address is
    // that of its low half, which is what the kernel compares.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, old as u32, spec);
    }
}

/// Wakes whoever sleeps on `word`.
pub fn futex_wake(word: &AtomicU64) {
    // SAFETY: as above; a wake reads nothing.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, 1);
    }
}

/// Spins until `word` is no longer `old`, for at most `rounds` looks. Plain loads without PAUSE:
/// under some hypervisors a long PAUSE loop exits to the host.
#[inline]
pub fn spin(word: &AtomicU64, old: u64, rounds: u32) -> Option<u64> {
    for _ in 0..rounds {
        let now = word.load(Ordering::Acquire);
        if now != old {
            return Some(now);
        }
    }
    None
}

/// Plain looks in the time of one with PAUSE, roughly: some 140 cycles since Intel's Skylake
/// (64-ia-32 Optimization Reference Manual, on PAUSE), and a load from the first-level cache takes 4
/// to 5.
pub const GENTLY: u32 = 32;

/// The same with PAUSE, for where nothing is timed: the two cores may be one to the processor, which
/// then gives the other side what a busy loop would take.
pub fn spin_gently(word: &AtomicU64, old: u64, rounds: u32) -> Option<u64> {
    for _ in 0..rounds / GENTLY {
        let now = word.load(Ordering::Acquire);
        if now != old {
            return Some(now);
        }
        std::hint::spin_loop();
    }
    None
}

/// The worker's part of choosing the bells' place: answers wherever it is told to, until one is to be
/// kept. `None` if the arena is too small.
pub fn settle(shared: &Shared) -> Option<Shared> {
    let orders = shared.word(wire::CHOICE);
    let mut last = 0;
    loop {
        let order = orders.load(Ordering::Acquire);
        if order == last {
            continue;
        }
        last = order;
        let (place, keep) = wire::ordered(order);
        let bells = shared.part(wire::place(place), wire::PLACE_LEN)?;
        if keep {
            return Some(bells);
        }
        let (go, done) = (bells.word(wire::go::BELL), bells.word(wire::done::BELL));
        let first = done.load(Ordering::Relaxed) + 1;
        for ring in first..first + wire::TRIES {
            while go.load(Ordering::Acquire) != ring {}
            done.store(ring, Ordering::Release);
        }
    }
}
