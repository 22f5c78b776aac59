//! The forbidden acts: each is one that graded code could attempt, and says whether it was refused
//! in the way that its layer refuses. They make nothing but system calls.

use std::ffi::CString;

/// What came of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// As it must be.
    Refused,
    /// The layer is not there.
    Allowed,
    /// Neither.
    Unclear,
}

/// The meaning of a call that ought to fail with `refusal`.
fn refused(result: i64, refusal: i32) -> Answer {
    match result {
        -1 if nix::errno::Errno::last_raw() == refusal => Answer::Refused,
        -1 => Answer::Unclear,
        _ => Answer::Allowed,
    }
}

/// Both acts: refused only if both are.
pub(super) fn both(a: Answer, b: Answer) -> Answer {
    match (a, b) {
        (Answer::Refused, Answer::Refused) => Answer::Refused,
        (Answer::Allowed, _) | (_, Answer::Allowed) => Answer::Allowed,
        _ => Answer::Unclear,
    }
}

/// The process that graded code must not reach.
pub(super) struct Supervisor {
    pid: libc::pid_t,
    memory: CString,
}

impl Supervisor {
    pub(super) fn this() -> Supervisor {
        let pid = std::process::id() as libc::pid_t;
        let memory = CString::new(format!("/proc/{pid}/mem")).unwrap_or_default();
        Supervisor { pid, memory }
    }

    /// By a process without privileges, whatever its user.
    pub(super) fn read(&self) -> Answer {
        look(&self.memory, libc::EACCES)
    }

    /// By a process of another user.
    pub(super) fn reach(&self) -> Answer {
        // SAFETY: the path ends in NUL and outlives the call; the rest are plain numbers.
        unsafe {
            both(
                refused(i64::from(libc::open(self.memory.as_ptr(), libc::O_RDONLY)), libc::EACCES),
                refused(i64::from(libc::kill(self.pid, 0)), libc::EPERM),
            )
        }
    }
}

pub(super) fn use_privilege() -> Answer {
    // SAFETY: the path is a constant that ends in NUL; raw system calls, this thread only.
    unsafe {
        both(
            refused(i64::from(libc::chroot(c"/".as_ptr())), libc::EPERM),
            // Nobody may become user 0 without the capability (unless it is 0 already).
            refused(libc::syscall(libc::SYS_setresuid, 0, 0, 0), libc::EPERM),
        )
    }
}

pub(super) fn gain_privilege() -> Answer {
    // SAFETY: `prctl` with plain numbers.
    unsafe {
        both(
            refused(i64::from(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0)), libc::EINVAL),
            match libc::prctl(libc::PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) {
                1 => Answer::Refused,
                0 => Answer::Allowed,
                _ => Answer::Unclear,
            },
        )
    }
}

pub(super) fn map_much() -> Answer {
    let (flags, nowhere) = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE, -1);
    // SAFETY: a fresh mapping that is never touched.
    let at =
        unsafe { libc::mmap(std::ptr::null_mut(), 2 << 30, libc::PROT_NONE, flags, nowhere, 0) };
    refused(if at == libc::MAP_FAILED { -1 } else { 0 }, libc::ENOMEM)
}

pub(super) fn grow_file() -> Answer {
    // SAFETY: constants and plain numbers; a refusal also raises SIGXFSZ, which is ignored.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        let file = libc::memfd_create(c"probe".as_ptr(), libc::MFD_CLOEXEC);
        if file == -1 {
            return Answer::Unclear;
        }
        refused(i64::from(libc::ftruncate(file, 1 << 20)), libc::EFBIG)
    }
}

pub(super) fn open_many() -> Answer {
    for _ in 0..17 {
        // SAFETY: copies the standard error descriptor; the child ends right after.
        if unsafe { libc::dup(2) } == -1 {
            return refused(-1, libc::EMFILE);
        }
    }
    Answer::Allowed
}

pub(super) fn start_process() -> Answer {
    // SAFETY: the child's child ends at once.
    unsafe {
        match libc::fork() {
            0 => libc::_exit(0),
            pid => {
                let answer = refused(i64::from(pid), libc::EAGAIN);
                if pid > 0 {
                    libc::waitpid(pid, std::ptr::null_mut(), 0);
                }
                answer
            }
        }
    }
}

/// Looks for a file that is on every machine and open to every user.
fn look(path: &std::ffi::CStr, refusal: i32) -> Answer {
    // SAFETY: the path ends in NUL.
    refused(i64::from(unsafe { libc::open(path.as_ptr(), libc::O_RDONLY) }), refusal)
}

/// From inside another root: there is no such file, by no path.
pub(super) fn leave_root() -> Answer {
    // SAFETY: a constant path that ends in NUL.
    let again = refused(i64::from(unsafe { libc::chroot(c"/".as_ptr()) }), libc::EPERM);
    let paths = both(
        look(c"/etc/passwd", libc::ENOENT),
        look(c"../../../../../../etc/passwd", libc::ENOENT),
    );
    both(paths, again)
}

/// The file is there, and closed.
pub(super) fn open_file() -> Answer {
    look(c"/etc/passwd", libc::EACCES)
}

/// The internet, and other processes of the machine.
pub(super) fn open_socket() -> Answer {
    // SAFETY: plain numbers.
    let socket = |family| unsafe { libc::socket(family, libc::SOCK_STREAM, 0) };
    both(
        refused(i64::from(socket(libc::AF_INET)), libc::EPERM),
        refused(i64::from(socket(libc::AF_UNIX)), libc::EPERM),
    )
}

/// What a constructor could do to be there later, or elsewhere.
pub(super) fn prepare_ambush() -> Answer {
    let none: *const libc::c_char = std::ptr::null();
    // SAFETY: a child (should there be one) ends at once; the path ends in NUL and the lists are
    // empty; the structures are zeroed and outlive their calls.
    unsafe {
        let child = libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0);
        if child == 0 {
            libc::_exit(0);
        }
        let action: libc::sigaction = std::mem::zeroed();
        let handler = libc::sigaction(libc::SIGALRM, &action, std::ptr::null_mut());
        let timer: libc::itimerval = std::mem::zeroed();
        let timer = libc::syscall(libc::SYS_setitimer, libc::ITIMER_REAL, &raw const timer, 0);
        let program = libc::execve(c"/nonexistent".as_ptr(), &raw const none, &raw const none);
        let set: libc::cpu_set_t = std::mem::zeroed();
        let core = libc::sched_setaffinity(0, size_of_val(&set), &raw const set);
        let again = i64::from(libc::sched_yield());
        let calls = [child, i64::from(handler), timer, i64::from(program), i64::from(core), again];
        // All are refused alike; a later call's error is that of an earlier one.
        if calls.iter().all(|&c| c == -1) { refused(-1, libc::EPERM) } else { Answer::Allowed }
    }
}

/// Kills the process where there is no more than 16 MiB.
pub(super) fn use_much() -> Answer {
    let (access, flags) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    let size = 64 << 20;
    // SAFETY: a fresh mapping, written within its bounds.
    unsafe {
        let at = libc::mmap(std::ptr::null_mut(), size, access, flags, -1, 0);
        if at == libc::MAP_FAILED {
            return Answer::Unclear;
        }
        for page in (0..size).step_by(4096) {
            at.cast::<u8>().add(page).write_volatile(1);
        }
    }
    Answer::Allowed
}

/// Kills the process where the filters are.
pub(super) fn trace() -> Answer {
    // SAFETY: asks to be traced by the parent, or not.
    unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) };
    Answer::Allowed
}

/// What only the loader may do.
pub(super) fn act_as_loader() -> Answer {
    let (access, code) = (libc::PROT_READ | libc::PROT_WRITE, libc::PROT_READ | libc::PROT_EXEC);
    let (flags, nowhere) = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, std::ptr::null_mut());
    // SAFETY: fresh mappings that nothing else uses.
    let (executable, turned) = unsafe {
        let executable = libc::mmap(nowhere, 4096, code, flags, -1, 0);
        let refusal = refused(if executable == libc::MAP_FAILED { -1 } else { 0 }, libc::EPERM);
        let page = libc::mmap(nowhere, 4096, access, flags, -1, 0);
        (refusal, refused(i64::from(libc::mprotect(page, 4096, code)), libc::EPERM))
    };
    // SAFETY: as above; huge pages are asked for where there is no memory, which harms nobody.
    let huge = unsafe { libc::madvise(nowhere, 0, libc::MADV_HUGEPAGE) };
    let memory = both(executable, both(turned, refused(i64::from(huge), libc::EPERM)));
    both(memory, look(c"/etc/passwd", libc::EPERM))
}
