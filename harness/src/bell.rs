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

/// The worker's part of choosing the bells' place: answers in each, then takes what the supervisor
/// chose. Without `tries` that is known already. `None` if the arena is too small.
pub fn settle(shared: &Shared, tries: bool) -> Option<Shared> {
    for place in 0..if tries { wire::PLACES } else { 0 } {
        let bells = shared.part(wire::place(place), wire::PLACE_LEN)?;
        let (go, done) = (bells.word(wire::go::BELL), bells.word(wire::done::BELL));
        for ring in 1..=wire::TRIES {
            while go.load(Ordering::Acquire) != ring {}
            done.store(ring, Ordering::Release);
        }
    }
    let choice = shared.word(wire::CHOICE);
    loop {
        let chosen = choice.load(Ordering::Acquire) as usize;
        if chosen != 0 {
            return shared.part(wire::place(chosen - 1), wire::PLACE_LEN);
        }
    }
}
