//! One command in a jail, from start to end, within a deadline.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::child::{self, Left};
use super::jail::Jail;
use super::profile::become_user;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// By us, at the deadline.
    TimedOut,
}

/// What is left of a command.
#[derive(Debug, Clone)]
pub struct Finished {
    /// How it ended.
    pub end: End,
    /// Standard output and error in the order they came, as much as was asked for.
    pub output: Vec<u8>,
    /// Whether there was more.
    pub truncated: bool,
}

impl Finished {
    /// Whether it ended by itself with code 0.
    pub fn success(&self) -> bool {
        self.end == End::Exited(0)
    }
}

/// Runs `command` in `jail` until it ends or `deadline` passes, and keeps the first `keep` bytes
/// of what it prints. Its whole process group is dead when this returns; a process that left the
/// group is caught by [`sweep`].
///
/// # Errors
/// When the command cannot be started or observed; never because of what it does.
pub fn run(
    mut command: Command,
    jail: &Jail,
    deadline: Instant,
    keep: usize,
) -> io::Result<Finished> {
    let (reader, writer) = io::pipe()?;
    command.stdout(Stdio::from(writer.try_clone()?)).stderr(Stdio::from(writer));
    jail.apply(&mut command, Vec::new())?;
    let mut child = command.spawn()?;
    // Our copies of the pipe's writing end go, so that its reading end can end.
    drop(command);
    let watched = watch(&child, OwnedFd::from(reader), deadline, keep);
    // Before the child is reaped: until then its group's number belongs to nobody else.
    // SAFETY: plain numbers; the group is the child's own session.
    unsafe { libc::kill(-(child.id() as libc::pid_t), libc::SIGKILL) };
    let status = child.wait()?;
    let (timed_out, output, truncated) = watched?;
    let end = match (timed_out, status.code()) {
        (true, _) => End::TimedOut,
        (false, Some(code)) => End::Exited(code),
        (false, None) => End::Signalled(status.signal().unwrap_or(0)),
    };
    Ok(Finished { end, output, truncated })
}

/// Reads until the child ends or the deadline passes: (timed out, output, truncated).
fn watch(
    child: &Child,
    reader: OwnedFd,
    deadline: Instant,
    keep: usize,
) -> io::Result<(bool, Vec<u8>, bool)> {
    fcntl(&reader, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    let mut reader = File::from(reader);
    let ended = pidfd(child)?;
    let mut kept = Kept { bytes: Vec::new(), most: keep, truncated: false };
    let mut open = true;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok((true, kept.bytes, kept.truncated));
        }
        let mut fds = vec![PollFd::new(ended.as_fd(), PollFlags::POLLIN)];
        if open {
            fds.push(PollFd::new(reader.as_fd(), PollFlags::POLLIN));
        }
        match poll(&mut fds, timeout(left)) {
            Ok(_) | Err(nix::errno::Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        // Asked before the pipe is read: all that it wrote before its end is then there.
        let over = fds[0].any().unwrap_or(false);
        open = open && kept.take(&mut reader)?;
        if over {
            return Ok((false, kept.bytes, kept.truncated));
        }
    }
}

/// The first bytes of a stream.
struct Kept {
    bytes: Vec<u8>,
    most: usize,
    truncated: bool,
}

impl Kept {
    /// Takes what is there, at most one pipe's fill (a writer that never stops must not keep us
    /// from looking at the clock). Whether there may be more later.
    fn take(&mut self, from: &mut File) -> io::Result<bool> {
        let mut buffer = [0; 64 * 1024];
        for _ in 0..16 {
            match from.read(&mut buffer) {
                Ok(0) => return Ok(false),
                Ok(n) => {
                    let room = (self.most - self.bytes.len()).min(n);
                    self.bytes.extend_from_slice(&buffer[..room]);
                    self.truncated |= room < n;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(true),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }
}

fn timeout(left: Duration) -> PollTimeout {
    // Rounded up, so that the last round does not spin; long waits are simply repeated.
    let millis = left.as_millis().saturating_add(1).min(60_000) as u16;
    PollTimeout::from(millis)
}

fn pidfd(child: &Child) -> io::Result<OwnedFd> {
    // SAFETY: plain numbers; the child is not reaped yet, so its number is its own.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, child.id(), 0) };
    if fd == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel just gave us this descriptor; nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

/// Kills every process of `uid`, whatever session it fled to. Only root can, and only for an id
/// that is private to a jail.
///
/// # Errors
/// When no child could be made that becomes `uid`.
pub fn sweep(uid: u32) -> io::Result<()> {
    // A process of that very id signals "everybody it may": one pass in the kernel, which forks
    // cannot outrun, and nobody else can be hit.
    // SAFETY: the closure only makes system calls.
    let answer = unsafe {
        child::fork(|| {
            if become_user(uid).is_err() {
                return 1;
            }
            libc::kill(-1, libc::SIGKILL);
            0
        })
    }?;
    if answer == Left::Byte(0) { Ok(()) } else { Err(io::Error::from_raw_os_error(libc::EPERM)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::{Party, Profile, command};

    fn shell(script: &str) -> Command {
        let mut command = command("/bin/sh");
        command.args(["-c", script]);
        command
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    #[test]
    fn output_and_code_are_kept() {
        let done = run(shell("echo out; echo err >&2; exit 7"), &Jail::default(), soon(), 100)
            .expect("runs");
        assert_eq!(done.end, End::Exited(7));
        assert_eq!(done.output, b"out\nerr\n");
        assert!(!done.truncated);
    }

    #[test]
    fn a_flood_is_cut() {
        let done = run(shell("yes | head -c 3000000"), &Jail::default(), soon(), 10).expect("runs");
        assert_eq!(done.output, b"y\ny\ny\ny\ny\n");
        assert!(done.truncated);
        assert!(done.success());
    }

    #[test]
    fn an_endless_flood_ends_at_the_deadline() {
        let deadline = Instant::now() + Duration::from_millis(200);
        let done = run(shell("yes"), &Jail::default(), deadline, 10).expect("runs");
        assert_eq!(done.end, End::TimedOut);
    }

    #[test]
    fn a_background_child_that_holds_the_pipe_neither_blocks_nor_survives() {
        let done = run(shell("sleep 1000 & echo $!"), &Jail::default(), soon(), 100).expect("runs");
        assert_eq!(done.end, End::Exited(0));
        let pid: i32 = String::from_utf8_lossy(&done.output).trim().parse().expect("a number");
        assert!(gone(pid));
    }

    #[test]
    fn a_signal_is_told_from_a_code() {
        let done = run(shell("kill -SEGV $$"), &Jail::default(), soon(), 0).expect("runs");
        assert_eq!(done.end, End::Signalled(libc::SIGSEGV));
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error() {
        assert!(run(command("/nonexistent"), &Jail::default(), soon(), 0).is_err());
    }

    #[test]
    fn a_sweep_reaches_who_fled_the_session() {
        let Some(uid) = Profile::detect().uid(Party::Blank) else {
            eprintln!("SKIPPED: only root has private user ids");
            return;
        };
        let jail = Jail { uid: Some(uid), ..Jail::default() };
        let done =
            run(shell("setsid sleep 1000 & sleep 0.2; echo $!"), &jail, soon(), 100).expect("runs");
        let pid: i32 = String::from_utf8_lossy(&done.output).trim().parse().expect("a number");
        assert!(!gone(pid), "it did not flee, so this shows nothing");
        sweep(uid).expect("sweeps");
        assert!(gone(pid));
    }

    /// Whether a process has ended (it may be waiting to be reaped by its new parent).
    fn gone(pid: i32) -> bool {
        for _ in 0..500 {
            let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let state = state.rsplit(')').next().unwrap_or_default().trim_start().chars().next();
            if matches!(state, None | Some('Z' | 'X')) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        false
    }
}
