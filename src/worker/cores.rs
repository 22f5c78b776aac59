//! Which cores the supervisor and the timed workers run on, and with what priority.

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
    /// Picks two cores that this process may use and that are not SMT siblings of each other;
    /// one core if there are no two.
    pub fn pick() -> Self {
        let allowed = allowed();
        let supervisor = allowed.first().copied().unwrap_or(0);
        let siblings = siblings(supervisor);
        let workers =
            allowed.iter().copied().rev().find(|c| !siblings.contains(c)).unwrap_or(supervisor);
        Self { supervisor, workers }
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

/// The hardware threads that share `core`'s execution units, itself included.
pub fn siblings(core: usize) -> Vec<usize> {
    let path = format!("/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list");
    let list = std::fs::read_to_string(path).unwrap_or_default();
    let mut all = vec![core];
    for part in list.trim().split(',') {
        let mut ends = part.splitn(2, '-').filter_map(|e| e.parse::<usize>().ok());
        if let Some(first) = ends.next() {
            all.extend(first..=ends.next().unwrap_or(first));
        }
    }
    all
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

/// Sets a process's (0: this one's) priority, from −20 (highest) to 19. `false` if it was refused.
pub fn set_priority(pid: u32, nice: i32) -> bool {
    // SAFETY: a plain system call.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, pid, nice) == 0 }
}
