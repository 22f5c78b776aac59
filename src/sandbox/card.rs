//! The capability card: which protections this run really has.
//!
//! Nothing is believed because it was asked for. A throw-away child goes into a jail as graded
//! code does and attempts the forbidden act; only a refusal of the right kind proves the layer.
//! Whatever cannot be tried counts as absent.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use speedgate_harness::confine::{Confinement, Walls};

use super::acts::{
    Answer, Supervisor, act_as_loader, both, gain_privilege, grow_file, leave_root, map_much,
    open_file, open_many, open_socket, prepare_ambush, start_process, trace, use_much,
    use_privilege,
};
use super::cell::Cell;
use super::cgroup::Group;
use super::child::{self, Left};
use super::jail::{Jail, command};
use super::landlock::Sight;
use super::profile::{Party, Profile, close_memory};
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
    close_memory();
    let supervisor = Supervisor::this();
    let mut card = vec![
        judge(
            "closed-memory",
            "opening the supervisor's memory is refused even as its own user",
            "a process of the supervisor's user could read its keys and answers",
            attempt(&Jail::default(), || supervisor.read()),
        ),
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
    card.extend(cell(&with_uid));
    card
}

/// What a worker is locked into besides its jail, and the builder.
fn cell(jail: &Jail) -> [Capability; 7] {
    let none = Walls::default();
    let filters = Walls { seccomp: true, ..none };
    let chroot = Walls { chroot: true, ..none };
    let landlock = Walls { landlock: true, ..none };
    let builder = Jail { sight: Some(Sight::toolchain()), ..jail.clone() };
    let traced = killed(jail, filters, libc::SIGSYS, trace);
    let load = [inside(jail, filters, Stage::Load, prepare_ambush), traced];
    [
        judge(
            "chroot",
            "from a worker's root /etc/passwd is not there, nor is a way back",
            "graded code sees the file system as its user does (this takes root and CAP_SYS_CHROOT)",
            match jail.uid {
                Some(_) => inside(jail, chroot, Stage::Load, leave_root),
                None => Ok(Answer::Allowed),
            },
        ),
        judge(
            "landlock",
            "a worker may not open /etc/passwd, though every user may",
            "file access is bound by user id and modes only (this takes Linux 5.13 with Landlock)",
            inside(jail, landlock, Stage::Load, open_file),
        ),
        judge(
            "hidden-baselines",
            "the builder may not open /etc/passwd, nor anything but the toolchain and its tree",
            "the builder reads what any user may; what a compiler says it read is still checked \
             (this takes Linux 5.13 with Landlock)",
            attempt(&builder, open_file),
        ),
        judge(
            "seccomp-load",
            "while it is loaded, a library may not fork, run a program, handle a signal, set a \
             timer, yield or change its core; ptrace kills it",
            "any system call while the library is loaded",
            load.into_iter().reduce(|a, b| Ok(both(a?, b?))).unwrap_or(Ok(Answer::Unclear)),
        ),
        judge(
            "seccomp-call",
            "once loaded, it may not open a file, map or make executable memory, or ask for huge \
             pages",
            "any system call while functions are called",
            inside(jail, filters, Stage::Call, act_as_loader),
        ),
        judge(
            "no-network",
            "opening a socket is refused",
            "graded code may use the network if the machine has one",
            inside(jail, filters, Stage::Load, open_socket),
        ),
        judge(
            "cgroup",
            "using 64 MiB under a limit of 16 MiB kills, a second process is refused",
            "limits hold for each process, not for their sum (this takes control groups that may \
             be written)",
            grouped(jail),
        ),
    ]
}

/// How far a worker has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Its library is being loaded.
    Load,
    /// Its library is being called.
    Call,
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
    inside(jail, Walls::default(), Stage::Load, act)
}

/// Attempts `act` where a worker with these walls is at that stage.
fn inside(
    jail: &Jail,
    walls: Walls,
    stage: Stage,
    act: impl FnOnce() -> Answer,
) -> io::Result<Answer> {
    match left(jail, walls, stage, act)? {
        Left::Byte(0) => Ok(Answer::Refused),
        Left::Byte(1) => Ok(Answer::Allowed),
        Left::Byte(_) => Ok(Answer::Unclear),
        Left::Killed(signal) => Err(io::Error::other(format!("killed by signal {signal}"))),
    }
}

/// As [`inside`], for an act that must not be survived.
fn killed(jail: &Jail, walls: Walls, by: i32, act: impl FnOnce() -> Answer) -> io::Result<Answer> {
    Ok(match left(jail, walls, Stage::Load, act)? {
        Left::Killed(signal) if signal == by => Answer::Refused,
        Left::Byte(1) => Answer::Allowed,
        _ => Answer::Unclear,
    })
}

/// Whether a control group bounds what its processes use together.
fn grouped(jail: &Jail) -> io::Result<Answer> {
    let group = Some(Arc::new(Group::new(16 << 20, 1)?));
    let jail = Jail { group, ..jail.clone() };
    let memory = killed(&jail, Walls::default(), libc::SIGKILL, use_much)?;
    Ok(both(memory, attempt(&jail, start_process)?))
}

fn left(jail: &Jail, walls: Walls, stage: Stage, act: impl FnOnce() -> Answer) -> io::Result<Left> {
    let (_cell, pass) = Cell::new(walls, &std::env::temp_dir(), None)?;
    let confinement = Confinement::new(walls, 0)?;
    let mut jail = Jail { may_chroot: walls.chroot, ..jail.clone() }.prepare(pass)?;
    let mut enter = || {
        jail.enter()?;
        confinement.load()?;
        if stage == Stage::Call { confinement.call() } else { Ok(()) }
    };
    // SAFETY: entering and confining only make system calls, as does every act.
    unsafe {
        child::fork(|| match enter() {
            Ok(()) => act() as u8,
            Err(_) => Answer::Unclear as u8,
        })
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
            "landlock",
            "hidden-baselines",
            "seccomp-load",
            "seccomp-call",
            "no-network",
            "closed-memory",
        ] {
            assert_eq!(state(&card, name), State::Proven, "{name}: {card:#?}");
        }
        for name in ["own-uid", "process-limit", "chroot"] {
            let expected = match profile {
                Profile::Root => State::Proven,
                Profile::User => State::Absent,
            };
            assert_eq!(state(&card, name), expected, "{name}: {card:#?}");
        }
    }

    /// Each probe would notice if its layer were missing.
    #[test]
    fn without_a_jail_every_act_is_allowed() {
        // SAFETY: the acts only make system calls.
        let free = |act: fn() -> Answer| unsafe { child::fork(|| act() as u8) }.expect("forks");
        let allowed = Left::Byte(Answer::Allowed as u8);
        let acts = [map_much, grow_file, open_many, start_process, open_file, leave_root];
        for act in
            acts.into_iter().chain([open_socket, prepare_ambush, trace, act_as_loader, use_much])
        {
            assert_eq!(free(act), allowed);
        }
        let supervisor = Supervisor::this();
        // SAFETY: as above.
        let reached = unsafe { child::fork(|| supervisor.reach() as u8) }.expect("forks");
        assert_eq!(reached, allowed);
        // SAFETY: `geteuid` cannot fail.
        if unsafe { libc::geteuid() } == 0 {
            assert_eq!(free(use_privilege), allowed);
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
