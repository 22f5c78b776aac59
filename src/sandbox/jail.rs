//! The walls that a child process puts around itself between `fork` and `exec`.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::Arc;

use speedgate_harness::confine::{drop_capabilities, restrict_files, set_capabilities};

use super::cgroup::Group;
use super::landlock::{self, Sight};
use super::profile::become_user;

/// What a jailed process may have. The default is the caller's own id and no bound that was not
/// there already, but always: a session of its own, no descriptor that was not passed, no
/// capability, no way to gain privileges, no core file, and death with its parent.
#[derive(Debug, Clone, Default)]
pub struct Jail {
    /// User and group id to become (we must be root); the process limit needs one.
    pub uid: Option<u32>,
    /// Address space, bytes.
    pub memory_bytes: Option<u64>,
    /// CPU time, seconds.
    pub cpu_seconds: Option<u64>,
    /// Size of any file it writes, bytes.
    pub file_size: Option<u64>,
    /// Number of open descriptors.
    pub open_files: Option<u64>,
    /// Number of processes and threads of its user id. The kernel counts the whole user, so it
    /// is applied only together with `uid`.
    pub processes: Option<u64>,
    /// Leaves it the one capability that changing its root folder takes, for a program of ours
    /// that does so and then drops it. Only together with `uid`.
    pub may_chroot: bool,
    /// The files that it may reach, where the kernel has Landlock.
    pub sight: Option<Sight>,
    /// The control group that it enters.
    pub group: Option<Arc<Group>>,
}

/// A command with an empty environment but for a fixed `PATH` and the plain locale, and nothing
/// to read from.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("PATH", "/usr/bin:/bin").env("LC_ALL", "C").stdin(Stdio::null());
    command
}

impl Jail {
    /// Arranges for `command` to run inside this jail. Each descriptor of `pass` appears in it
    /// under the number beside it; all others but 0, 1 and 2 are closed.
    ///
    /// The child is killed when *the thread that spawns it* ends: spawn from one that lives as
    /// long as the child may. The descriptors stay open in the caller until `command` is dropped.
    /// An `exec` that fails after a passed descriptor took the number of the standard library's
    /// report pipe shows as a child that aborts.
    ///
    /// # Errors
    /// When what is needed for it can't be made.
    pub fn apply(&self, command: &mut Command, pass: Vec<(OwnedFd, RawFd)>) -> io::Result<()> {
        let mut walls = self.prepare(pass)?;
        // SAFETY: `enter` only makes system calls on memory allocated here, before the fork.
        unsafe {
            command.pre_exec(move || walls.enter());
        }
        Ok(())
    }

    /// Everything that needs memory, before the fork.
    pub(super) fn prepare(&self, pass: Vec<(OwnedFd, RawFd)>) -> io::Result<Walls> {
        let limits = [
            (libc::RLIMIT_CORE, Some(0)),
            (libc::RLIMIT_AS, self.memory_bytes),
            (libc::RLIMIT_CPU, self.cpu_seconds),
            (libc::RLIMIT_FSIZE, self.file_size),
            (libc::RLIMIT_NOFILE, self.open_files),
            (libc::RLIMIT_NPROC, self.processes.filter(|_| self.uid.is_some())),
        ];
        let limits = limits.into_iter().filter_map(|(what, most)| Some((what, most?)));
        let targets = pass.iter().map(|&(_, target)| target);
        let spare = targets.max().unwrap_or(2) + 1;
        let rules = self.sight.as_ref().map(landlock::rules).transpose()?.flatten();
        let rules = rules.map(|fd| above(&fd, spare)).transpose()?;
        Ok(Walls {
            uid: self.uid,
            may_chroot: self.may_chroot && self.uid.is_some(),
            rules,
            group: self.group.clone(),
            limits: limits.collect(),
            spare,
            moved: vec![-1; pass.len()],
            pass,
            parent: std::process::id() as libc::pid_t,
        })
    }
}

/// A jail made ready: what the child needs, allocated by the parent.
pub(super) struct Walls {
    uid: Option<u32>,
    may_chroot: bool,
    rules: Option<OwnedFd>,
    group: Option<Arc<Group>>,
    limits: Vec<(libc::__rlimit_resource_t, u64)>,
    pass: Vec<(OwnedFd, RawFd)>,
    /// Copies of the passed descriptors above all targets, so that no target overwrites a source.
    moved: Vec<RawFd>,
    /// First number above all targets.
    spare: RawFd,
    parent: libc::pid_t,
}

impl Walls {
    /// Goes inside. Async-signal-safe: called between `fork` and `exec`.
    pub(super) fn enter(&mut self) -> io::Result<()> {
        // SAFETY: `setsid` and `umask` touch no memory. A fork's child is never a group leader.
        check(unsafe { libc::setsid() })?;
        // SAFETY: as above.
        unsafe { libc::umask(0o077) };
        // Before descriptors are moved: a target may have the number of one of the group's.
        if let Some(group) = &self.group {
            group.enter()?;
        }
        self.descriptors()?;
        for &(resource, most) in &self.limits {
            limit(resource, most)?;
        }
        usual_personality()?;
        drop_bounding_set(self.may_chroot);
        if self.may_chroot {
            // SAFETY: `prctl` with plain numbers.
            check(unsafe { libc::prctl(libc::PR_SET_KEEPCAPS, 1, 0, 0, 0) })?;
        }
        if let Some(uid) = self.uid {
            become_user(uid)?;
        }
        if self.may_chroot {
            keep_chroot()?
        } else {
            drop_capabilities()?
        }
        // SAFETY: as above.
        check(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) })?;
        if let Some(rules) = &self.rules {
            restrict_files(rules.as_raw_fd())?;
        }
        // After the change of user, which clears it.
        // SAFETY: as above.
        check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) })?;
        // The parent may have died before that line: then nobody would tell us any more.
        // SAFETY: `getppid` cannot fail.
        if unsafe { libc::getppid() } != self.parent {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
        Ok(())
    }

    /// Every descriptor above 2 closes at `exec`, but for those passed on. (They are marked, not
    /// closed at once: the standard library reports a failed `exec` through one of them.)
    fn descriptors(&mut self) -> io::Result<()> {
        for ((source, _), moved) in self.pass.iter().zip(&mut self.moved) {
            // SAFETY: `source` is open; the copy goes to a free number.
            *moved = check(unsafe {
                libc::fcntl(source.as_raw_fd(), libc::F_DUPFD_CLOEXEC, self.spare)
            })?;
        }
        close_at_exec()?;
        for (&(_, target), &moved) in self.pass.iter().zip(&self.moved) {
            // SAFETY: `moved` is open and above every target, so it is not `target` itself.
            check(unsafe { libc::dup2(moved, target) })?;
        }
        Ok(())
    }
}

/// A copy of a descriptor that no target overwrites.
fn above(fd: &OwnedFd, spare: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: `fd` is open; the copy goes to a free number.
    let copy = check(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_DUPFD_CLOEXEC, spare) })?;
    // SAFETY: the kernel just gave us this descriptor; nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(copy) })
}

fn close_at_exec() -> io::Result<()> {
    let (from, all, flag) = (3u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC);
    // SAFETY: plain numbers.
    if unsafe { libc::syscall(libc::SYS_close_range, from, all, flag) } == 0 {
        return Ok(());
    }
    // Before Linux 5.11, and in some emulated kernels: one by one up to the limit.
    let mut bound = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `bound` outlives the call.
    check(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut bound) })?;
    for fd in 3..bound.rlim_cur.min(1 << 20) as RawFd {
        // SAFETY: marking a number that is not open fails and does nothing.
        unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
    Ok(())
}

/// Lowers a limit, soft and hard; one that is lower already stays.
fn limit(resource: libc::__rlimit_resource_t, most: u64) -> io::Result<()> {
    let mut bound = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `bound` outlives both calls.
    unsafe {
        check(libc::getrlimit(resource, &mut bound))?;
        bound.rlim_max = bound.rlim_max.min(most);
        // A soft CPU limit one second below the hard one would end it by SIGXCPU, which can be
        // caught; equal limits end it by SIGKILL.
        bound.rlim_cur = bound.rlim_max;
        check(libc::setrlimit(resource, &bound))
    }
    .map(drop)
}

/// Leaves what a debugger or a wrapper may have set for all its children: fixed addresses (then all
/// processes would share one placement of stack, environment and mappings, and with it the luck of
/// caches), or data that can be executed.
fn usual_personality() -> io::Result<()> {
    const ASK: libc::c_ulong = 0xffff_ffff;
    // SAFETY: plain numbers.
    if check(unsafe { libc::personality(ASK) })? != 0 {
        // SAFETY: as above.
        check(unsafe { libc::personality(0) })?;
    }
    Ok(())
}

const CHROOT: u32 = 18; // CAP_SYS_CHROOT

/// Takes every capability out of the bounding set, as far as we may (only root may).
fn drop_bounding_set(but_chroot: bool) {
    for capability in (0..64).filter(|&c| !(but_chroot && c == CHROOT)) {
        // SAFETY: `prctl` with plain numbers; an unknown capability fails and does nothing.
        unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) };
    }
}

/// Keeps one capability, over `exec` too.
fn keep_chroot() -> io::Result<()> {
    set_capabilities(1 << CHROOT)?;
    let raise = libc::PR_CAP_AMBIENT_RAISE;
    // SAFETY: `prctl` with plain numbers.
    check(unsafe { libc::prctl(libc::PR_CAP_AMBIENT, raise, CHROOT, 0, 0) }).map(drop)
}

fn check(result: i32) -> io::Result<i32> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn output(mut command: Command, jail: &Jail, pass: Vec<(OwnedFd, RawFd)>) -> String {
        jail.apply(&mut command, pass).expect("applies");
        let output = command.output().expect("spawns");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    #[test]
    fn only_passed_descriptors_arrive_under_their_numbers() {
        let mut file = tempfile::tempfile().expect("temporary file");
        file.write_all(b"passed").expect("writes");
        let source = OwnedFd::from(file);
        // An inheritable descriptor that must not arrive.
        // SAFETY: duplicates an open descriptor, without close-on-exec.
        let stray = unsafe { libc::dup(source.as_raw_fd()) };
        assert!(stray > 2);
        let mut list = command("/bin/sh");
        list.args(["-c", "cat /proc/self/fd/77; echo; ls /proc/self/fd"]);
        let seen = output(list, &Jail::default(), vec![(source, 77)]);
        // 3 is the directory that `ls` reads.
        assert_eq!(
            seen.split_whitespace().collect::<Vec<_>>(),
            ["passed", "0", "1", "2", "3", "77"]
        );
        // SAFETY: closes what was duplicated above.
        unsafe { libc::close(stray) };
    }

    #[test]
    fn targets_may_be_each_others_sources() {
        let file = |text: &str| {
            let mut file = tempfile::tempfile().expect("temporary file");
            file.write_all(text.as_bytes()).expect("writes");
            OwnedFd::from(file)
        };
        let (a, b) = (file("a"), file("b"));
        let (to_a, to_b) = (b.as_raw_fd(), a.as_raw_fd());
        let mut list = command("/bin/sh");
        list.args(["-c", &format!("cat /proc/self/fd/{to_a} /proc/self/fd/{to_b}")]);
        assert_eq!(output(list, &Jail::default(), vec![(a, to_a), (b, to_b)]), "ab");
    }

    #[test]
    fn a_jailed_command_sees_no_environment_but_ours() {
        assert_eq!(
            output(command("/usr/bin/env"), &Jail::default(), Vec::new()),
            "LC_ALL=C\nPATH=/usr/bin:/bin"
        );
    }

    #[test]
    fn addresses_are_drawn_anew_whatever_was_inherited() {
        let fixed = || {
            let mut list = command("/bin/cat");
            list.arg("/proc/self/maps");
            // SAFETY: one system call; before the jail's part.
            unsafe {
                list.pre_exec(|| {
                    let fixed = libc::ADDR_NO_RANDOMIZE as libc::c_ulong;
                    check(libc::personality(fixed)).map(drop)
                });
            }
            list
        };
        let stack = |maps: String| {
            maps.lines().find(|l| l.ends_with("[stack]")).expect("a stack").to_owned()
        };
        let free = || {
            let output = fixed().output().expect("spawns");
            stack(String::from_utf8_lossy(&output.stdout).into())
        };
        let jailed = || stack(output(fixed(), &Jail::default(), Vec::new()));
        assert_eq!(free(), free());
        let seen: std::collections::HashSet<String> = (0..4).map(|_| jailed()).collect();
        assert!(seen.len() > 1, "{seen:?}");
    }

    #[test]
    fn limits_that_are_lower_already_stay() {
        let mut inner = command("/bin/sh");
        inner.args(["-c", "ulimit -n"]);
        let low = Jail { open_files: Some(16), ..Jail::default() };
        let high = Jail { open_files: Some(u64::MAX), ..Jail::default() };
        // Both applied, the lower first: the second may not raise it (nor fail).
        low.apply(&mut inner, Vec::new()).expect("applies");
        let mut walls = high.prepare(Vec::new()).expect("prepares");
        // SAFETY: only lowers limits in the child; `setsid` is not called twice.
        unsafe {
            inner.pre_exec(move || {
                walls.limits.drain(..).try_for_each(|(resource, most)| limit(resource, most))
            });
        }
        let output = inner.output().expect("spawns");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "16");
    }
}
