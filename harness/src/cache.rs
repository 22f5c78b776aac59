//! Where a call's data are when it begins: as staging or the call before left them, in the
//! second-level cache, or in none. Code stays where it is.

use crate::slots::{self, Placed};
use crate::wire::{BufferDesc, flags};

/// More than any first-level data cache of the processors that are supported, less than any
/// second-level one.
const SWEEP: usize = 128 << 10;
const LINE: usize = 64;

/// Moves data to where calls shall find them.
#[derive(Debug, Default)]
pub struct Caches {
    sweep: Vec<u8>,
    /// Whether lines are flushed without waiting for each.
    unordered: bool,
}

impl Caches {
    /// Reserves what it takes to empty the first level, where that is asked for. `None`: no memory.
    pub fn prepare(&mut self, flags: u32) -> Option<()> {
        if flags & flags::FAR != 0 && self.sweep.is_empty() {
            self.sweep.try_reserve(SWEEP).ok()?;
            // Written to: untouched, all of it would be one page of zeros.
            self.sweep.resize(SWEEP, 1);
        }
        // Asked of the processor here, since that takes a trip to the hypervisor.
        self.unordered = flags & flags::COLD != 0 && (self.unordered || flushes_unordered());
        Some(())
    }

    /// Moves the buffers of a call. `false`: nothing was asked for.
    ///
    /// # Safety
    /// The buffers were placed, and their slots are still mapped.
    pub unsafe fn place(&self, flags: u32, buffers: &[(BufferDesc, Placed)]) -> bool {
        // SAFETY: a slot holds `bytes`, by the caller's promise; the sweep is ours.
        unsafe {
            if flags & flags::COLD != 0 {
                buffers
                    .iter()
                    .for_each(|(d, placed)| flush(placed.start, d.bytes as usize, self.unordered));
                finish();
            } else if flags & flags::FAR != 0 {
                // First in: what is in no cache yet is in the second level then.
                buffers.iter().for_each(|(d, placed)| slots::warm(placed.start, d.bytes as usize));
                slots::warm(self.sweep.as_ptr(), self.sweep.len());
            }
        }
        flags & (flags::COLD | flags::FAR) != 0
    }
}

/// Takes a buffer out of all caches, once [`finish`] has returned.
///
/// # Safety
/// `len` bytes from `start` can be read.
unsafe fn flush(start: *const u8, len: usize, unordered: bool) {
    let end = start as usize + len;
    for line in (start as usize / LINE * LINE..end).step_by(LINE) {
        // SAFETY: the line holds a byte that can be read.
        unsafe { flush_line(line as *const u8, unordered) };
    }
}

#[cfg(target_arch = "x86_64")]
unsafe fn flush_line(line: *const u8, unordered: bool) {
    // SAFETY: passed on. The one is a baseline instruction, the other there if it was detected.
    unsafe {
        match unordered {
            true => std::arch::asm!("clflushopt [{}]", in(reg) line, options(nostack)),
            false => std::arch::x86_64::_mm_clflush(line),
        }
    }
}

/// Whether lines can be flushed without waiting for each: many times as fast.
#[cfg(target_arch = "x86_64")]
fn flushes_unordered() -> bool {
    // Leaf 7 of CPUID, EBX bit 23.
    std::arch::x86_64::__cpuid(0).eax >= 7
        && std::arch::x86_64::__cpuid_count(7, 0).ebx >> 23 & 1 == 1
}

#[cfg(target_arch = "aarch64")]
unsafe fn flush_line(line: *const u8, _unordered: bool) {
    // SAFETY: Linux lets programs clean and invalidate lines that they may read.
    unsafe { std::arch::asm!("dc civac, {}", in(reg) line, options(nostack, preserves_flags)) };
}

#[cfg(target_arch = "aarch64")]
fn flushes_unordered() -> bool {
    true
}

/// Waits until the lines are out.
fn finish() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a baseline instruction without operands.
    unsafe {
        std::arch::x86_64::_mm_mfence();
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        std::arch::asm!("dsb ish", options(nostack, preserves_flags));
    }
}
