//! Guarded buffers: `[guard page][slot][guard page]`, one for each buffer index, shared by the
//! calls of a burst. A buffer is placed flush against one of its guards, so that the first byte
//! read or written outside is a fault and not luck.

use crate::wire::{self, BufferDesc, PAGE, Role};

/// Most buffers of one function, the sealed scalars included.
pub const MAX_BUFFERS: usize = 24;

/// One guarded mapping.
#[derive(Debug, Clone, Copy)]
pub struct Slot {
    base: *mut u8,
    len: usize,
    read_only: bool,
}

/// A buffer placed in its slot.
#[derive(Debug, Clone, Copy)]
pub struct Placed {
    /// First byte.
    pub start: *mut u8,
    /// Canary bytes before it.
    pub before: u64,
    /// Canary bytes after it (and its room).
    pub after: u64,
}

const EMPTY: Slot = Slot { base: std::ptr::null_mut(), len: 0, read_only: false };

/// All guarded mappings of a worker.
#[derive(Debug)]
pub struct Slots {
    slots: [Slot; MAX_BUFFERS],
}

impl Slots {
    /// No mapping yet.
    pub const fn new() -> Self {
        Self { slots: [EMPTY; MAX_BUFFERS] }
    }

    /// Places buffer `index`, mapping its slot anew if the size changed. `None`: no memory, or a
    /// descriptor that makes no sense.
    pub fn place(&mut self, index: usize, buffer: &BufferDesc) -> Option<Placed> {
        let slot = self.slots.get_mut(index)?;
        let len = usize::try_from(buffer.slot).ok()?;
        if len == 0 || !buffer.slot.is_multiple_of(PAGE) {
            return None;
        }
        if slot.len != len {
            slot.remap(len)?;
        }
        slot.protect(false)?;
        let (start, before, after) = wire::placement(buffer)?;
        // SAFETY: `placement` keeps the start inside the slot.
        Some(Placed { start: unsafe { slot.base.add(start as usize) }, before, after })
    }

    /// Makes a slot read-only until it is placed again.
    pub fn seal_input(&mut self, index: usize) -> Option<()> {
        self.slots.get_mut(index)?.protect(true)
    }

    /// The buffer whose slot or guards hold `address`.
    pub fn find(&self, address: usize) -> Option<usize> {
        let page = PAGE as usize;
        self.slots.iter().position(|s| {
            let base = s.base as usize;
            s.len > 0 && address >= base - page && address < base + s.len + page
        })
    }
}

impl Slot {
    fn remap(&mut self, len: usize) -> Option<()> {
        let page = PAGE as usize;
        // SAFETY: the old mapping (if any) is ours and no buffer in it is in use between requests;
        // the new one is fresh anonymous memory whose ends stay inaccessible.
        unsafe {
            if self.len > 0 {
                libc::munmap(self.base.sub(page).cast(), self.len + 2 * page);
                *self = EMPTY;
            }
            let whole = libc::mmap(
                std::ptr::null_mut(),
                len.checked_add(2 * page)?,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            if whole == libc::MAP_FAILED {
                return None;
            }
            let base = whole.cast::<u8>().add(page);
            if libc::mprotect(base.cast(), len, libc::PROT_READ | libc::PROT_WRITE) != 0 {
                libc::munmap(whole, len + 2 * page);
                return None;
            }
            *self = Slot { base, len, read_only: false };
        }
        Some(())
    }

    fn protect(&mut self, read_only: bool) -> Option<()> {
        if self.read_only != read_only {
            let access =
                if read_only { libc::PROT_READ } else { libc::PROT_READ | libc::PROT_WRITE };
            // SAFETY: the slot's own pages.
            if unsafe { libc::mprotect(self.base.cast(), self.len, access) } != 0 {
                return None;
            }
            self.read_only = read_only;
        }
        Some(())
    }
}

/// Readies a buffer for a call: canaries, and the content of an output, hold the poison pattern;
/// opaque state is zero; inputs are filled by the caller.
///
/// # Safety
/// `placed` was returned for `buffer` and its slot is still mapped.
pub unsafe fn prepare(buffer: &BufferDesc, placed: &Placed, seed: u64) {
    // SAFETY: passed on; the slot holds `bytes`.
    unsafe {
        poison(buffer, placed, seed);
        if buffer.role == Role::State as u32 {
            std::ptr::write_bytes(placed.start, 0, buffer.bytes as usize);
        }
    }
}

/// Reads every line: a long copy may have left them in a farther cache than the nearest that holds
/// them.
///
/// # Safety
/// `len` bytes from `start` can be read.
pub unsafe fn warm(start: *const u8, len: usize) {
    for at in (0..len).step_by(64) {
        // SAFETY: inside, by the caller's promise.
        unsafe { std::ptr::read_volatile(start.add(at)) };
    }
}

/// Fills canaries, and the content of an output, with the poison pattern.
///
/// # Safety
/// As for [`prepare`].
unsafe fn poison(buffer: &BufferDesc, placed: &Placed, seed: u64) {
    let keep = buffer.role != Role::Out as u32;
    let mut block = [0u8; 64];
    for (i, byte) in block.iter_mut().enumerate() {
        *byte = wire::poison(seed, i as u64);
    }
    let end = buffer.bytes + buffer.room;
    // SAFETY: canaries and content lie in the slot (`placement`).
    unsafe {
        for i in 1..=placed.before {
            *placed.start.sub(i as usize) = block[(0u64.wrapping_sub(i) % 64) as usize];
        }
        let mut at = if keep { buffer.bytes } else { 0 };
        let last = end + placed.after;
        while at < last {
            let phase = (at % 64) as usize;
            let n = ((last - at) as usize).min(64 - phase);
            std::ptr::copy_nonoverlapping(
                block[phase..].as_ptr(),
                placed.start.add(at as usize),
                n,
            );
            at += n as u64;
        }
    }
}
