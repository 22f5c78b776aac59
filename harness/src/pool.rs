//! Memory that guarded slots are cut from, in large pages where the kernel has them.
//!
//! Small pages lie wherever there was room when a process was started, which code that streams through
//! memory may feel for the life of the process: caches are looked up by physical address, and some
//! processors keep translations for several pages at once if these lie side by side. (What was measured
//! of it is in METHODOLOGY.md.) So buffers of both sides lie in large pages. Graded code may not ask for
//! any: the memory is reserved before it is loaded.
//!
//! Where in it a slot begins depends on the sizes of the others alone: the same requests find their
//! buffers in the same places in every process, whichever library it has.
//!
//! A large page comes only where the whole of it may be written when it is first touched. It is
//! touched then, closed, and the slots in it are opened; what lies between them stays closed.

use std::mem::MaybeUninit;
use std::ptr::null_mut;

use crate::slots::MAX_BUFFERS;
use crate::wire::PAGE;

const SMALL: usize = PAGE as usize;
const LARGE: usize = 2 << 20;
/// Most large pages: one bit each.
const MOST: usize = 64;
/// Share of the address space that a process may have.
const SHARE: usize = 8;

/// A range of the pool, guards included; of no length: none.
#[derive(Debug, Clone, Copy)]
struct Cut {
    start: usize,
    len: usize,
}

/// The memory; where there is none, nothing can be cut from it.
#[derive(Debug)]
pub struct Pool {
    base: *mut u8,
    len: usize,
    /// Large pages that were touched.
    touched: u64,
    cuts: [Cut; MAX_BUFFERS],
}

impl Pool {
    /// Reserves an eighth of the address space that the process may have, and 128 MiB at most.
    pub fn reserve() -> Self {
        let cuts = [Cut { start: 0, len: 0 }; MAX_BUFFERS];
        let mut pool = Self { base: null_mut(), len: 0, touched: 0, cuts };
        let len = (space() / SHARE).min(MOST * LARGE) / LARGE * LARGE;
        if len == 0 {
            return pool;
        }
        // SAFETY: plain system calls; what lies before and after the aligned part stays unused.
        unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            let whole = libc::mmap(null_mut(), len + LARGE, libc::PROT_NONE, flags, -1, 0);
            if whole == libc::MAP_FAILED {
                return pool;
            }
            let base = whole.cast::<u8>().add(whole.cast::<u8>().align_offset(LARGE));
            // A kernel without large pages refuses, and nothing is lost.
            libc::madvise(base.cast(), len, libc::MADV_HUGEPAGE);
            (pool.base, pool.len) = (base, len);
        }
        pool
    }

    /// Cuts slot `index` anew: `len` bytes between two guards. `None`: there is no room.
    pub fn cut(&mut self, index: usize, len: usize) -> Option<*mut u8> {
        self.give_back(index);
        let whole = len.checked_add(2 * SMALL)?;
        let start = self.gap(whole)?;
        self.touch(start, whole)?;
        self.open(start + SMALL, len, true)?;
        *self.cuts.get_mut(index)? = Cut { start, len: whole };
        // SAFETY: inside of the pool, by `gap`.
        Some(unsafe { self.base.add(start + SMALL) })
    }

    /// Closes what slot `index` has, if anything.
    pub fn give_back(&mut self, index: usize) {
        let Some(cut) = self.cuts.get_mut(index) else { return };
        let Cut { start, len } = std::mem::replace(cut, Cut { start: 0, len: 0 });
        if len > 0 {
            // Left open it would be no guard for others, but harmless: nobody is told of it.
            let _ = self.open(start, len, false);
        }
    }

    /// The first gap of this length.
    fn gap(&self, len: usize) -> Option<usize> {
        if len > self.len {
            return None;
        }
        let mut taken = self.cuts;
        taken.sort_unstable_by_key(|cut| cut.start);
        let mut from = 0;
        for cut in taken.iter().filter(|cut| cut.len > 0) {
            if from + len <= cut.start {
                break;
            }
            from = cut.start + cut.len;
        }
        (from + len <= self.len).then_some(from)
    }

    /// Makes the large pages under a range be there, closed.
    fn touch(&mut self, start: usize, len: usize) -> Option<()> {
        for page in start / LARGE..(start + len).div_ceil(LARGE) {
            if self.touched >> page & 1 == 1 {
                continue;
            }
            self.open(page * LARGE, LARGE, true)?;
            // SAFETY: inside of the pool, and opened just now.
            unsafe { self.base.add(page * LARGE).write_volatile(0) };
            self.open(page * LARGE, LARGE, false)?;
            self.touched |= 1 << page;
        }
        Some(())
    }

    fn open(&self, start: usize, len: usize, open: bool) -> Option<()> {
        let access = if open { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_NONE };
        // SAFETY: inside of the pool; no buffer in it is in use between requests.
        let done = unsafe { libc::mprotect(self.base.add(start).cast(), len, access) };
        (done == 0).then_some(())
    }
}

/// Address space that this process may have, bytes.
fn space() -> usize {
    let mut limit = MaybeUninit::<libc::rlimit>::uninit();
    // SAFETY: the call fills it in where it succeeds.
    let limit = unsafe {
        if libc::getrlimit(libc::RLIMIT_AS, limit.as_mut_ptr()) != 0 {
            return 0;
        }
        limit.assume_init()
    };
    usize::try_from(limit.rlim_cur).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(at: *mut u8, len: usize) {
        for offset in [0, len - 1] {
            // SAFETY: what was cut may be written.
            unsafe { at.add(offset).write_volatile(7) };
        }
    }

    #[test]
    fn slots_do_not_overlap_and_room_comes_back() {
        let mut pool = Pool::reserve();
        assert!(pool.len >= LARGE, "{}", pool.len);
        let sizes = [SMALL, 3 * SMALL, LARGE, 5 * SMALL, LARGE + SMALL];
        for round in 0..200 {
            for (index, &len) in sizes.iter().enumerate() {
                let len = if round % 2 == 0 { len } else { sizes[sizes.len() - 1 - index] };
                write(pool.cut(index, len).unwrap(), len);
            }
            let mut cuts: Vec<Cut> = pool.cuts.iter().copied().filter(|c| c.len > 0).collect();
            cuts.sort_unstable_by_key(|cut| cut.start);
            assert_eq!(cuts.len(), sizes.len());
            assert!(cuts.windows(2).all(|w| w[0].start + w[0].len <= w[1].start), "{cuts:?}");
        }
        (0..sizes.len()).for_each(|index| pool.give_back(index));
        assert!(pool.cut(0, pool.len).is_none(), "guards need room, too");
        assert!(pool.cut(0, pool.len - 2 * SMALL).is_some());
        assert!(pool.cut(1, LARGE).is_none(), "no room is left");
        assert!(pool.cut(MAX_BUFFERS, SMALL).is_none());
    }

    #[test]
    fn around_a_slot_nothing_can_be_written() {
        let mut pool = Pool::reserve();
        let len = 2 * SMALL;
        let at = pool.cut(0, len).unwrap();
        write(at, len);
        let closed = |at: *mut u8| {
            let mut seen = 0u8;
            // SAFETY: the kernel looks whether the address may be read, and says so.
            unsafe {
                let from = libc::iovec { iov_base: at.cast(), iov_len: 1 };
                let to = libc::iovec { iov_base: (&raw mut seen).cast(), iov_len: 1 };
                libc::process_vm_readv(libc::getpid(), &to, 1, &from, 1, 0) != 1
            }
        };
        // SAFETY: addresses, which nobody follows but the kernel.
        let [before, after] = unsafe { [at.sub(1), at.add(len)] };
        assert!(closed(before) && closed(after) && !closed(at));
        pool.give_back(0);
        assert!(closed(at));
    }
}
