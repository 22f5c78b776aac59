//! Guarded buffers: `[guard page][slot][guard page]`, one for each buffer index, shared by the
//! calls of a burst. A buffer is placed flush against one of its guards, so that the first byte
//! read or written outside is a fault and not luck.

use crate::pool::Pool;
use crate::wire::{self, BufferDesc, PAGE, Role, SLACK};

/// Most buffers of one function, the sealed scalars included.
pub const MAX_BUFFERS: usize = 24;

/// One guarded mapping.
#[derive(Debug, Clone, Copy)]
pub struct Slot {
    base: *mut u8,
    len: usize,
    read_only: bool,
    /// Cut from the pool; else a mapping of its own.
    pooled: bool,
}

/// A buffer placed in its slot.
#[derive(Debug, Clone, Copy)]
pub struct Placed {
    /// First byte, as the function is told.
    pub start: *mut u8,
    /// Where the first byte is written from here: elsewhere only for what the function may not write.
    pub write: *mut u8,
    /// Canary bytes before it.
    pub before: u64,
    /// Canary bytes after it (and its room).
    pub after: u64,
}

const EMPTY: Slot = Slot { base: std::ptr::null_mut(), len: 0, read_only: false, pooled: false };

/// A slot that is always read-only, and the same memory where it can be written. To map memory twice
/// once is many times cheaper than to protect and unprotect it for every call.
#[derive(Debug, Clone, Copy)]
struct Shown {
    slot: Slot,
    write: *mut u8,
}

/// Largest slot that is mapped twice, bytes. Protecting a large one is little beside its copying, and
/// shared memory has no large pages.
const SHOWN_MAX: usize = 64 << 10;

/// All guarded mappings of a worker.
#[derive(Debug)]
pub struct Slots {
    slots: [Slot; MAX_BUFFERS],
    shown: [Shown; MAX_BUFFERS],
    pool: Pool,
}

impl Slots {
    /// None yet, and the memory to cut them from.
    pub fn new() -> Self {
        let shown = Shown { slot: EMPTY, write: std::ptr::null_mut() };
        Self { slots: [EMPTY; MAX_BUFFERS], shown: [shown; MAX_BUFFERS], pool: Pool::reserve() }
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
            slot.remap(index, len, &mut self.pool)?;
        }
        slot.protect(false)?;
        let (start, before, after) = wire::placement(buffer)?;
        // SAFETY: `placement` keeps the start inside the slot.
        let start = unsafe { slot.base.add(start as usize) };
        Some(Placed { start, write: start, before, after })
    }

    /// Places a buffer that the function may only read, and that is written at `Placed::write`. `None`:
    /// it is too large, or memory can't be mapped twice here; then it is to be placed as the others and
    /// to be sealed.
    pub fn show(&mut self, index: usize, buffer: &BufferDesc) -> Option<Placed> {
        let shown = self.shown.get_mut(index)?;
        let len = usize::try_from(buffer.slot).ok()?;
        if len == 0 || len > SHOWN_MAX || !buffer.slot.is_multiple_of(PAGE) {
            return None;
        }
        if shown.slot.len != len {
            shown.remap(len)?;
        }
        let (start, before, after) = wire::placement(buffer)?;
        let start = start as usize;
        // SAFETY: `placement` keeps the start inside the slot; both mappings are of its size.
        let (start, write) = unsafe { (shown.slot.base.add(start), shown.write.add(start)) };
        Some(Placed { start, write, before, after })
    }

    /// Makes a slot read-only until it is placed again.
    pub fn seal_input(&mut self, index: usize) -> Option<()> {
        self.slots.get_mut(index)?.protect(true)
    }

    /// The buffer whose slot or guards hold `address`.
    pub fn find(&self, address: usize) -> Option<usize> {
        let page = PAGE as usize;
        let holds = |s: &Slot| {
            let base = s.base as usize;
            s.len > 0 && address >= base - page && address < base + s.len + page
        };
        self.slots
            .iter()
            .zip(&self.shown)
            .position(|(slot, shown)| holds(slot) || holds(&shown.slot))
    }
}

impl Shown {
    fn remap(&mut self, len: usize) -> Option<()> {
        let page = PAGE as usize;
        // SAFETY: the old mappings (if any) are ours and no buffer in them is in use between requests;
        // the new ones are fresh shared memory, and its second mapping in the middle of a fresh
        // reservation, whose ends stay inaccessible.
        unsafe {
            if self.slot.len > 0 {
                libc::munmap(self.slot.base.sub(page).cast(), self.slot.len + 2 * page);
                libc::munmap(self.write.cast(), self.slot.len);
                *self = Self { slot: EMPTY, write: std::ptr::null_mut() };
            }
            let map = |len, access, kind| {
                let flags = kind | libc::MAP_ANONYMOUS;
                let at = libc::mmap(std::ptr::null_mut(), len, access, flags, -1, 0);
                (at != libc::MAP_FAILED).then_some(at)
            };
            let write = map(len, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED)?;
            let whole = len + 2 * page;
            let Some(reserved) = map(whole, libc::PROT_NONE, libc::MAP_PRIVATE) else {
                libc::munmap(write, len);
                return None;
            };
            let base = reserved.cast::<u8>().add(page);
            // An old size of 0 leaves the old mapping of shared memory where it is.
            let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
            let twice = libc::mremap(write, 0, len, flags, base) != libc::MAP_FAILED
                && libc::mprotect(base.cast(), len, libc::PROT_READ) == 0;
            if !twice {
                libc::munmap(write, len);
                libc::munmap(reserved, whole);
                return None;
            }
            let slot = Slot { base, len, read_only: true, pooled: false };
            *self = Self { slot, write: write.cast() };
        }
        Some(())
    }
}

impl Slot {
    /// Takes slot `index` from the pool, or maps it on its own where that has no room.
    fn remap(&mut self, index: usize, len: usize, pool: &mut Pool) -> Option<()> {
        let page = PAGE as usize;
        // SAFETY: the old mapping (if any) is ours and no buffer in it is in use between requests;
        // the new one is fresh anonymous memory whose ends stay inaccessible.
        unsafe {
            if self.len > 0 && !self.pooled {
                libc::munmap(self.base.sub(page).cast(), self.len + 2 * page);
            }
            *self = EMPTY;
            if let Some(base) = pool.cut(index, len) {
                *self = Slot { base, len, read_only: false, pooled: true };
                return Some(());
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
            *self = Slot { base, len, read_only: false, pooled: false };
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
            std::ptr::write_bytes(placed.write, 0, buffer.bytes as usize);
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
    let block = wire::poison_block(seed);
    let end = buffer.bytes + buffer.room;
    const { assert!(SLACK <= 64, "one block holds the canary") };
    let before = placed.before as usize;
    // SAFETY: canaries and content lie in the slot (`placement`).
    unsafe {
        let canary = placed.write.sub(before);
        std::ptr::copy_nonoverlapping(block[64 - before..].as_ptr(), canary, before);
        let mut at = if keep { buffer.bytes } else { 0 };
        let last = end + placed.after;
        while at < last {
            let phase = (at % 64) as usize;
            let n = ((last - at) as usize).min(64 - phase);
            std::ptr::copy_nonoverlapping(
                block[phase..].as_ptr(),
                placed.write.add(at as usize),
                n,
            );
            at += n as u64;
        }
    }
}
