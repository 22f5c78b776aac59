//! A fault handler that tells honest code what it hit. The supervisor learns of a crash from the
//! kernel; this only adds *which* buffer, and how far outside.

use std::sync::atomic::{AtomicPtr, Ordering};

use crate::shared::Shared;
use crate::slots::Slots;
use crate::wire::notes;

/// What the handler may look at.
#[derive(Debug)]
pub struct Context {
    /// The arena.
    pub shared: Shared,
    /// The bells in it that are used.
    pub bells: Shared,
    /// The guarded buffers.
    pub slots: Slots,
    /// First byte of each buffer of the call that runs, 0 for none.
    pub starts: [usize; crate::slots::MAX_BUFFERS],
}

static CONTEXT: AtomicPtr<Context> = AtomicPtr::new(std::ptr::null_mut());

/// Installs the handler. `context` must live as long as the process.
pub fn install(context: *mut Context) {
    CONTEXT.store(context, Ordering::Release);
    // SAFETY: plain system calls with valid arguments; the alternate stack is never freed.
    unsafe {
        let size = 64 * 1024;
        let stack = libc::mmap(
            std::ptr::null_mut(),
            size,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        if stack != libc::MAP_FAILED {
            let alternate = libc::stack_t { ss_sp: stack, ss_flags: 0, ss_size: size };
            libc::sigaltstack(&alternate, std::ptr::null_mut());
        }
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_fault as *const () as usize;
        // Reset on entry: returning repeats the access, and the default action ends the process
        // with the true signal for the supervisor to see.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESETHAND;
        for signal in [libc::SIGSEGV, libc::SIGBUS] {
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

extern "C" fn on_fault(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    let context = CONTEXT.load(Ordering::Acquire);
    // SAFETY: set once by `install`, never freed. The fault interrupted the same thread inside
    // graded code, not inside code of ours that changes the context; only loads and atomic stores.
    let Some(context) = (unsafe { context.as_ref() }) else { return };
    // SAFETY: the kernel passes a valid siginfo for SA_SIGINFO.
    let address = unsafe { (*info).si_addr() } as usize;
    let found = context.slots.find(address);
    let start = found.map_or(0, |b| context.starts[b]);
    let offset = address.wrapping_sub(start) as u64;
    context
        .shared
        .half(notes::BUFFER)
        .store(found.map_or(u32::MAX, |b| b as u32), Ordering::Relaxed);
    context.shared.word(notes::OFFSET).store(offset, Ordering::Relaxed);
    context.shared.half(notes::SIGNAL).store(signal as u32, Ordering::Release);
}
