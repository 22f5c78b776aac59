//! A forked child that only makes system calls and answers with one byte.

use std::io;

/// What became of a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// It answered.
    Byte(u8),
    /// A signal killed it.
    Killed(i32),
}

/// Runs `act` in a forked child and returns the byte it answers with.
///
/// # Safety
/// The child is a copy of one thread of a process that may have many: `act` may only do what is
/// safe in a signal handler (system calls; no allocation, no lock, no panic).
pub(super) unsafe fn fork(act: impl FnOnce() -> u8) -> io::Result<Left> {
    // SAFETY: the caller promises that `act` is async-signal-safe, and the child does nothing
    // else before it leaves through `_exit`.
    let pid = unsafe { libc::fork() };
    match pid {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            let answer = act();
            // SAFETY: `_exit` is async-signal-safe and does not return.
            unsafe { libc::_exit(i32::from(answer)) }
        }
        _ => wait(pid),
    }
}

fn wait(pid: libc::pid_t) -> io::Result<Left> {
    let mut status = 0;
    // SAFETY: `status` outlives the call; `pid` is our own child, waited for once.
    while unsafe { libc::waitpid(pid, &mut status, 0) } == -1 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    Ok(if libc::WIFEXITED(status) {
        Left::Byte(libc::WEXITSTATUS(status) as u8)
    } else {
        Left::Killed(libc::WTERMSIG(status))
    })
}
