//! The capability card: which protections this run really has.
//!
//! Nothing is believed because it was asked for. A throw-away child goes into a jail as graded
//! code does and attempts the forbidden act; only a refusal of the right kind proves the layer.
//! Whatever cannot be tried counts as absent.

use std::ffi::CString;
use std::io;
use std::time::{Duration, Instant};

use super::child;
use super::jail::{Jail, command};
use super::profile::{Party, Profile};
use super::run::run;

/// One protection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capability {
    /// Short name, stable across versions.
    pub name: &'static str,
    /// Whether it holds here.
    pub state: State,
    /// What was tried, or what is missing and what that means.
    pub note: String,
}

/// Whether a protection holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The forbidden act was attempted and refused.
    Proven,
    /// Not there, not tried, or not refused.
    Absent,
}

/// The card of this machine under `profile`; takes some milliseconds and leaves nothing behind.
pub fn card(profile: Profile) -> Vec<Capability> {
    let uid = profile.uid(Party::Blank);
    let with_uid = Jail { uid, ..Jail::default() };
    let processes = Jail { processes: Some(1), ..with_uid.clone() };
    let memory = Jail { memory_bytes: Some(1 << 30), ..with_uid.clone() };
    let files = Jail { file_size: Some(4096), ..with_uid.clone() };
    let open = Jail { open_files: Some(16), ..with_uid.clone() };
    let supervisor = Supervisor::this();
    let mut card = vec![
        judge(
            "own-uid",
            "reading the supervisor's memory and signalling it are refused",
            "graded code runs as the same user as the supervisor and could reach into it",
            attempt(&with_uid, || supervisor.reach()),
        ),
        judge(
            "no-capabilities",
            "chroot and becoming root are refused",
            "graded code could use root's privileges",
            attempt(&with_uid, use_privilege),
        ),
        judge(
            "no-new-privs",
            "set, and cannot be taken back",
            "set-uid programs would gain privileges",
            attempt(&with_uid, gain_privilege),
        ),
        judge(
            "memory-limit",
            "mapping 2 GiB under a limit of 1 GiB is refused",
            "graded code could exhaust memory",
            attempt(&memory, map_much),
        ),
        judge(
            "file-size-limit",
            "growing a file beyond the limit is refused",
            "graded code could fill the disk",
            attempt(&files, grow_file),
        ),
        judge(
            "open-files-limit",
            "a 17th descriptor under a limit of 16 is refused",
            "graded code could exhaust descriptors",
            attempt(&open, open_many),
        ),
        judge(
            "process-limit",
            "starting a process under a limit of one is refused",
            "graded code could start processes without end (a limit needs an own user id)",
            attempt(&processes, start_process),
        ),
        judge(
            "closed-descriptors",
            "a descriptor open in the supervisor is not there in a jailed program",
            "graded code could inherit the supervisor's descriptors",
            stray_descriptor(&with_uid),
        ),
        judge(
            "clean-environment",
            "a jailed program sees no variable but ours",
            "graded code could read the supervisor's environment",
            environment(&with_uid),
        ),
    ];
    card.extend(NOT_BUILT.iter().map(|&(name, note)| Capability {
        name,
        state: State::Absent,
        note: note.to_owned(),
    }));
    card
}

/// Layers of the design that this version does not have.
const NOT_BUILT: &[(&str, &str)] = &[
    ("chroot", "not in this version: graded code sees the file system as its user does"),
    ("hidden-baselines", "not in this version: the builder sees what any user may read"),
    ("seccomp-load", "not in this version: any system call while the library is loaded"),
    ("seccomp-call", "not in this version: any system call while functions are called"),
    ("landlock", "not in this version: file access is bound by user id and modes only"),
    ("cgroup", "not in this version: limits hold for each process, not for their sum"),
    ("no-network", "not in this version: graded code may use the network if the machine has one"),
    ("namespaces", "not in this version: graded code sees the processes of the machine"),
];

/// What came of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Refused,
    Allowed,
    Unclear,
}

fn judge(name: &'static str, proven: &str, absent: &str, answer: io::Result<Answer>) -> Capability {
    let (state, note) = match answer {
        Ok(Answer::Refused) => (State::Proven, proven.to_owned()),
        Ok(Answer::Allowed) => (State::Absent, absent.to_owned()),
        Ok(Answer::Unclear) => (State::Absent, format!("could not be tried; if absent, {absent}")),
        Err(error) => (State::Absent, format!("could not be tried ({error}); if absent, {absent}")),
    };
    Capability { name, state, note }
}

/// Attempts `act` inside `jail`; the act makes nothing but system calls.
fn attempt(jail: &Jail, act: impl FnOnce() -> Answer) -> io::Result<Answer> {
    let mut walls = jail.prepare(Vec::new());
    // SAFETY: `enter` and every act in this file only make system calls.
    let answer = unsafe {
        child::fork(|| match walls.enter() {
            Ok(()) => act() as u8,
            Err(_) => Answer::Unclear as u8,
        })
    }?;
    Ok(match answer {
        0 => Answer::Refused,
        1 => Answer::Allowed,
        _ => Answer::Unclear,
    })
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
fn both(a: Answer, b: Answer) -> Answer {
    match (a, b) {
        (Answer::Refused, Answer::Refused) => Answer::Refused,
        (Answer::Allowed, _) | (_, Answer::Allowed) => Answer::Allowed,
        _ => Answer::Unclear,
    }
}

struct Supervisor {
    pid: libc::pid_t,
    memory: CString,
}

impl Supervisor {
    fn this() -> Supervisor {
        let pid = std::process::id() as libc::pid_t;
        let memory = CString::new(format!("/proc/{pid}/mem")).unwrap_or_default();
        Supervisor { pid, memory }
    }

    fn reach(&self) -> Answer {
        // SAFETY: the path ends in NUL and outlives the call; the rest are plain numbers.
        unsafe {
            both(
                refused(i64::from(libc::open(self.memory.as_ptr(), libc::O_RDONLY)), libc::EACCES),
                refused(i64::from(libc::kill(self.pid, 0)), libc::EPERM),
            )
        }
    }
}

fn use_privilege() -> Answer {
    // SAFETY: the path is a constant that ends in NUL; raw system calls, this thread only.
    unsafe {
        both(
            refused(i64::from(libc::chroot(c"/".as_ptr())), libc::EPERM),
            // Nobody may become user 0 without the capability (unless it is 0 already).
            refused(libc::syscall(libc::SYS_setresuid, 0, 0, 0), libc::EPERM),
        )
    }
}

fn gain_privilege() -> Answer {
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

fn map_much() -> Answer {
    let (flags, nowhere) = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE, -1);
    // SAFETY: a fresh mapping that is never touched.
    let at =
        unsafe { libc::mmap(std::ptr::null_mut(), 2 << 30, libc::PROT_NONE, flags, nowhere, 0) };
    refused(if at == libc::MAP_FAILED { -1 } else { 0 }, libc::ENOMEM)
}

fn grow_file() -> Answer {
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

fn open_many() -> Answer {
    for _ in 0..17 {
        // SAFETY: copies the standard error descriptor; the child ends right after.
        if unsafe { libc::dup(2) } == -1 {
            return refused(-1, libc::EMFILE);
        }
    }
    Answer::Allowed
}

fn start_process() -> Answer {
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

/// A descriptor that is open and inheritable here must not be there in a jailed program.
fn stray_descriptor(jail: &Jail) -> io::Result<Answer> {
    let (reader, _writer) = io::pipe()?;
    let fd = nix::fcntl::fcntl(&reader, nix::fcntl::FcntlArg::F_DUPFD(100))?;
    // SAFETY: the kernel just gave us this descriptor; nobody else owns it.
    let stray: std::os::fd::OwnedFd = unsafe { std::os::fd::FromRawFd::from_raw_fd(fd) };
    let mut list = command("/bin/ls");
    list.arg("/proc/self/fd");
    let listing = print(list, jail)?;
    drop(stray);
    // 3 is the directory that is listed.
    Ok(match listing.split_whitespace().collect::<Vec<_>>()[..] {
        ["0", "1", "2", "3"] => Answer::Refused,
        _ => Answer::Allowed,
    })
}

fn environment(jail: &Jail) -> io::Result<Answer> {
    let variables = print(command("/usr/bin/env"), jail)?;
    Ok(match variables.lines().collect::<Vec<_>>()[..] {
        ["LC_ALL=C", "PATH=/usr/bin:/bin"] => Answer::Refused,
        _ => Answer::Allowed,
    })
}

fn print(command: std::process::Command, jail: &Jail) -> io::Result<String> {
    let done = run(command, jail, Instant::now() + Duration::from_secs(10), 4096)?;
    if !done.success() {
        return Err(io::Error::other(format!("the probe ended with {:?}", done.end)));
    }
    Ok(String::from_utf8_lossy(&done.output).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(card: &[Capability], name: &str) -> State {
        card.iter().find(|c| c.name == name).expect("listed").state
    }

    #[test]
    fn every_layer_is_named_once_and_has_a_note() {
        let card = card(Profile::detect());
        let names: std::collections::BTreeSet<_> = card.iter().map(|c| c.name).collect();
        assert_eq!(names.len(), card.len());
        assert!(card.iter().all(|c| !c.note.is_empty()));
    }

    #[test]
    fn what_the_profile_promises_is_proven() {
        let profile = Profile::detect();
        let card = card(profile);
        for name in [
            "no-capabilities",
            "no-new-privs",
            "memory-limit",
            "file-size-limit",
            "open-files-limit",
            "closed-descriptors",
            "clean-environment",
        ] {
            assert_eq!(state(&card, name), State::Proven, "{name}: {card:#?}");
        }
        for name in ["own-uid", "process-limit"] {
            let expected = match profile {
                Profile::Root => State::Proven,
                Profile::User => State::Absent,
            };
            assert_eq!(state(&card, name), expected, "{name}: {card:#?}");
        }
        assert_eq!(state(&card, "chroot"), State::Absent);
    }

    /// Each probe would notice if its layer were missing.
    #[test]
    fn without_a_jail_every_act_is_allowed() {
        // SAFETY: the acts only make system calls.
        let free = |act: fn() -> Answer| unsafe { child::fork(|| act() as u8) }.expect("forks");
        assert_eq!(free(map_much), Answer::Allowed as u8);
        assert_eq!(free(grow_file), Answer::Allowed as u8);
        assert_eq!(free(open_many), Answer::Allowed as u8);
        assert_eq!(free(start_process), Answer::Allowed as u8);
        let supervisor = Supervisor::this();
        // SAFETY: as above.
        let reached = unsafe { child::fork(|| supervisor.reach() as u8) }.expect("forks");
        assert_eq!(reached, Answer::Allowed as u8);
        // SAFETY: `geteuid` cannot fail.
        if unsafe { libc::geteuid() } == 0 {
            assert_eq!(free(use_privilege), Answer::Allowed as u8);
        }
    }

    #[test]
    fn an_unclear_answer_is_absent() {
        let unclear = judge("x", "held", "could", Ok(Answer::Unclear));
        assert_eq!(unclear.state, State::Absent);
        let failed = judge("x", "held", "could", Err(io::Error::other("odd")));
        assert_eq!(failed.state, State::Absent);
        assert!(failed.note.contains("odd"));
    }
}
