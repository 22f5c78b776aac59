//! Memory that somebody else may write at any moment.
//!
//! Never a Rust reference into it: words are read and written atomically, bytes are copied once
//! into private memory by an instruction the compiler can't look into, then looked at there.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A mapping of an arena. Both sides have one; it never moves while it is in use.
#[derive(Debug, Clone, Copy)]
pub struct Shared {
    base: *mut u8,
    len: usize,
}

// SAFETY: the pointer is only used through atomic or opaque copies, which are sound from any thread.
unsafe impl Send for Shared {}
// SAFETY: as above; concurrent use from several threads is what the type is for.
unsafe impl Sync for Shared {}

impl Shared {
    /// Wraps a mapping.
    ///
    /// # Safety
    /// `base..base + len` stays mapped readable and writable for as long as the value is used, and
    /// is aligned to 128 bytes.
    pub unsafe fn new(base: *mut u8, len: usize) -> Self {
        Self { base, len }
    }

    /// Size in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn at(&self, offset: usize, size: usize) -> *mut u8 {
        assert!(
            offset.is_multiple_of(size.clamp(1, 8)) && offset + size <= self.len,
            "arena offset"
        );
        // SAFETY: in bounds by the assertion.
        unsafe { self.base.add(offset) }
    }

    /// The word at `offset`, for repeated use. Panics if it is out of bounds or unaligned: offsets
    /// are constants of ours.
    pub fn word(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: in bounds and aligned (`at`); the mapping outlives the value (`new`).
        unsafe { AtomicU64::from_ptr(self.at(offset, 8).cast()) }
    }

    /// The half word at `offset`.
    pub fn half(&self, offset: usize) -> &AtomicU32 {
        // SAFETY: as `word`.
        unsafe { AtomicU32::from_ptr(self.at(offset, 4).cast()) }
    }

    /// Reads two words (relaxed).
    pub fn pair(&self, offset: usize) -> [u64; 2] {
        [self.word(offset).load(Ordering::Relaxed), self.word(offset + 8).load(Ordering::Relaxed)]
    }

    /// Writes two words (relaxed).
    pub fn set_pair(&self, offset: usize, value: [u64; 2]) {
        self.word(offset).store(value[0], Ordering::Relaxed);
        self.word(offset + 8).store(value[1], Ordering::Relaxed);
    }

    /// A part of it. `None` if it does not fit.
    pub fn part(&self, offset: usize, len: usize) -> Option<Self> {
        let base = self.range(offset as u64, len as u64)?;
        // SAFETY: inside of what is mapped for as long as `self` may be used.
        Some(unsafe { Self::new(base, len) })
    }

    /// Copies private bytes in. `false` if they don't fit.
    #[must_use]
    pub fn copy_in(&self, offset: u64, bytes: &[u8]) -> bool {
        let Some(target) = self.range(offset, bytes.len() as u64) else { return false };
        // SAFETY: target is in bounds, source is a slice of that length; they can't overlap since
        // a slice never points into the arena.
        unsafe { opaque_copy(bytes.as_ptr(), target, bytes.len()) };
        true
    }

    /// Copies bytes out, once. `false` if the range lies outside.
    #[must_use]
    pub fn copy_out(&self, offset: u64, into: &mut [u8]) -> bool {
        let Some(source) = self.range(offset, into.len() as u64) else { return false };
        // SAFETY: as `copy_in`, the other way round.
        unsafe { opaque_copy(source, into.as_mut_ptr(), into.len()) };
        true
    }

    /// Address of a range, for the worker's own copies into its buffers.
    pub fn range(&self, offset: u64, len: u64) -> Option<*mut u8> {
        let end = offset.checked_add(len)?;
        // SAFETY: in bounds by the comparison.
        (end <= self.len as u64).then(|| unsafe { self.base.add(offset as usize) })
    }
}

/// A copy that the compiler neither sees through nor assumes anything about: the bytes may change
/// under it, which is a data race for ordinary Rust reads.
///
/// # Safety
/// `from` and `to` are valid for `len` bytes and don't overlap.
pub unsafe fn opaque_copy(from: *const u8, to: *mut u8, len: usize) {
    // What is short costs more to begin than to copy, and is often read again at once, which
    // `rep movsb` makes wait.
    #[cfg(target_arch = "x86_64")]
    if (16..=512).contains(&len) {
        for at in (0..len - 15).step_by(16).chain([len - 16]) {
            // SAFETY: 16 bytes from `at` lie inside of both; moves of a baseline instruction set.
            unsafe {
                std::arch::asm!(
                    "movdqu {block}, [{from}]",
                    "movdqu [{to}], {block}",
                    block = out(xmm_reg) _,
                    from = in(reg) from.add(at),
                    to = in(reg) to.add(at),
                    options(nostack, preserves_flags),
                );
            }
        }
        return;
    }
    #[cfg(target_arch = "x86_64")]
    // SAFETY: rep movsb copies exactly rcx bytes; the direction flag is clear by the ABI.
    unsafe {
        std::arch::asm!("rep movsb", inout("rcx") len => _, inout("rsi") from => _, inout("rdi") to => _,
            options(nostack, preserves_flags));
    }
    #[cfg(not(target_arch = "x86_64"))]
    for i in 0..len {
        // SAFETY: in bounds by the caller's promise; byte atomics make the race defined.
        unsafe {
            let byte = std::sync::atomic::AtomicU8::from_ptr(from.add(i).cast_mut())
                .load(Ordering::Relaxed);
            *to.add(i) = byte;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_stay_inside() {
        let mut memory = vec![0u64; 32];
        // SAFETY: the vector outlives the value; 8-byte alignment suffices for the words used here.
        let shared = unsafe { Shared::new(memory.as_mut_ptr().cast(), 256) };
        for len in (0..48).chain([255]) {
            let bytes: Vec<u8> = (0..len as u8).map(|i| i ^ 0x5A).collect();
            assert!(shared.copy_in(1, &bytes));
            let mut back = vec![0; len + 1];
            assert!(shared.copy_out(0, &mut back));
            assert_eq!((back[0], &back[1..]), (0, &bytes[..]));
            assert!(shared.copy_in(0, &[0; 256]));
        }
        assert!(shared.copy_in(250, b"abcdef"));
        assert!(!shared.copy_in(251, b"abcdef"));
        assert!(!shared.copy_in(u64::MAX, b"abcdef"));
        let mut back = [0u8; 6];
        assert!(shared.copy_out(250, &mut back));
        assert_eq!(&back, b"abcdef");
        assert!(!shared.copy_out(251, &mut back));
    }
}
