//! Which cores the supervisor and the timed workers run on, and with what priority.

use std::os::unix::process::CommandExt;
use std::process::Command;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

/// The two cores of a grading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cores {
    /// The supervisor's.
    pub supervisor: usize,
    /// The one that all workers share. The same as the supervisor's where there is only one.
    pub workers: usize,
}

impl Cores {
    /// The first thread of the first group (cores that are SMT siblings) for the supervisor, that
    /// of the last one for the workers: the same where there is only one.
    pub fn of(groups: &[Vec<usize>]) -> Self {
        let core = |group: Option<&Vec<usize>>| group.and_then(|g| g.first()).copied().unwrap_or(0);
        Self { supervisor: core(groups.first()), workers: core(groups.last()) }
    }

    /// Whether supervisor and workers share a core: then both sleep in the kernel to hand over.
    pub fn shared(&self) -> bool {
        self.supervisor == self.workers
    }
}

/// The cores this process may run on.
pub fn allowed() -> Vec<usize> {
    let set = sched_getaffinity(Pid::from_raw(0)).unwrap_or_default();
    (0..CpuSet::count()).filter(|&c| set.is_set(c).unwrap_or(false)).collect()
}

/// The cores of [`allowed`], SMT siblings together, each group in the order of the first that is
/// allowed, which comes first in it; siblings that are not allowed are in it, too.
pub fn groups() -> Vec<Vec<usize>> {
    group(&allowed(), siblings)
}

fn group(allowed: &[usize], siblings: impl Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for &core in allowed {
        if !groups.iter().any(|g| g.contains(&core)) {
            let others = siblings(core).into_iter().filter(|&s| s != core);
            groups.push(std::iter::once(core).chain(others).collect());
        }
    }
    groups
}

/// The hardware threads that share `core`'s execution units; none where the kernel does not say.
pub fn siblings(core: usize) -> Vec<usize> {
    let path = format!("/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list");
    numbers(&std::fs::read_to_string(path).unwrap_or_default())
}

/// The numbers of a list as the kernel writes it: `0-1,8`.
fn numbers(list: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    list.trim().split(',').filter_map(range).flatten().collect()
}

/// Binds a process (0: this thread) to one core. `false` if the kernel refuses.
pub fn bind(pid: u32, core: usize) -> bool {
    bind_to(pid, &[core])
}

/// Binds a process (0: this thread) to several cores. `false` if the kernel refuses.
pub fn bind_to(pid: u32, cores: &[usize]) -> bool {
    let mut set = CpuSet::new();
    cores.iter().all(|&c| set.set(c).is_ok())
        && sched_setaffinity(Pid::from_raw(pid as i32), &set).is_ok()
}

/// Has `command` bind itself to one core before it becomes another program. Done by the child, since
/// binding another user's process takes CAP_SYS_NICE, which containers don't give even to root; and
/// from its first instruction, since it would begin on the supervisor's core.
pub fn bind_at_start(command: &mut Command, core: usize) {
    let mut set = CpuSet::new();
    let known = set.set(core);
    let act = move || Ok(known.and_then(|()| sched_setaffinity(Pid::from_raw(0), &set))?);
    // SAFETY: between fork and exec only one system call is made, on memory from before.
    unsafe {
        command.pre_exec(act);
    }
}

/// How far above other processes one of ours was put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    /// Round-robin real time: only the kernel's own reserve for others interrupts it.
    RealTime,
    /// The highest ordinary priority.
    Raised,
    /// Like everybody's: raising it was refused.
    Normal,
}

/// Raises the calling thread; what it starts is not raised with it.
pub fn raise_this_thread() -> Priority {
    let param = libc::sched_param { sched_priority: 1 };
    // SAFETY: plain system calls with a valid pointer.
    unsafe {
        let policy = libc::SCHED_RR | libc::SCHED_RESET_ON_FORK;
        if libc::sched_setscheduler(0, policy, &param) == 0 {
            return Priority::RealTime;
        }
        let raised = libc::setpriority(libc::PRIO_PROCESS, 0, HIGHEST) == 0;
        if raised { Priority::Raised } else { Priority::Normal }
    }
}

/// Whether the calling thread is above ordinary ones.
pub fn this_thread_is_raised() -> bool {
    // SAFETY: plain system calls without pointers.
    unsafe {
        let policy = libc::sched_getscheduler(0) & !libc::SCHED_RESET_ON_FORK;
        policy == libc::SCHED_RR || libc::getpriority(libc::PRIO_PROCESS, 0) < 0
    }
}

/// Undoes [`raise_this_thread`].
pub fn lower_this_thread() {
    let param = libc::sched_param { sched_priority: 0 };
    // SAFETY: as above. What fails was never raised.
    unsafe {
        libc::sched_setscheduler(0, libc::SCHED_OTHER, &param);
        libc::setpriority(libc::PRIO_PROCESS, 0, 0);
    }
}

/// Raises a process that leads a session of its own. `false` if it was refused.
pub fn raise(pid: u32) -> bool {
    // The scheduler first shares the core between sessions, where it groups by them, and only
    // then among the processes of one: both shares are raised.
    let _ = std::fs::write(format!("/proc/{pid}/autogroup"), HIGHEST.to_string());
    // SAFETY: a plain system call.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, pid, HIGHEST) == 0 }
}

/// The highest ordinary priority.
const HIGHEST: i32 = -20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn siblings_are_one_group() {
        assert_eq!(numbers("0-1,8\n"), [0, 1, 8]);
        assert_eq!(numbers(""), [0; 0]);
        // Four cores of two threads each, of which the first thread of core 0 is not allowed.
        let siblings = |core: usize| vec![core % 4, core % 4 + 4];
        let groups = group(&[1, 2, 3, 4, 5, 6, 7], siblings);
        assert_eq!(groups, [vec![1, 5], vec![2, 6], vec![3, 7], vec![4, 0]]);
        assert_eq!(Cores::of(&groups), Cores { supervisor: 1, workers: 4 });
        assert!(Cores::of(&group(&[2, 6], siblings)).shared());
        // A kernel that says nothing.
        assert_eq!(group(&[0, 1], |_| Vec::new()), [[0], [1]]);
    }

    #[test]
    fn a_thread_is_raised_exactly_where_that_was_permitted() {
        let of_its_own = || {
            assert!(!this_thread_is_raised());
            let priority = raise_this_thread();
            assert_eq!(this_thread_is_raised(), priority != Priority::Normal);
            lower_this_thread();
            assert!(!this_thread_is_raised());
        };
        std::thread::spawn(of_its_own).join().unwrap();
    }

    #[test]
    fn a_command_runs_on_its_core_from_the_start() {
        let core = *allowed().last().unwrap();
        let mut command = Command::new("cat");
        bind_at_start(&mut command, core);
        let status = command.arg("/proc/self/status").output().unwrap().stdout;
        let status = String::from_utf8(status).unwrap();
        let list = status.lines().find_map(|l| l.strip_prefix("Cpus_allowed_list:"));
        assert_eq!(list.map(str::trim), Some(core.to_string().as_str()));
    }
}
