//! Control groups: memory and number of processes of a jail as a whole, the kernel's share
//! included. Version 1 or 2, where their files may be written (containers seldom let one).

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const MOUNT: &str = "/sys/fs/cgroup";
/// Controllers that a group needs.
const CONTROLLERS: [&str; 2] = ["memory", "pids"];

/// A group of one jail; its folders are removed when it is dropped, by when its processes must be
/// gone.
#[derive(Debug)]
pub struct Group {
    /// One for each controller in version 1, a single one in version 2.
    folders: Vec<PathBuf>,
    /// Where a process writes itself in. Open, since it does so when it no longer may open them.
    doors: Vec<File>,
}

impl Group {
    /// With at most `memory` bytes and `processes` processes and threads.
    ///
    /// # Errors
    /// Where there are no control groups of ours to make.
    pub fn new(memory: u64, processes: u64) -> io::Result<Group> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{}-{number}", std::process::id());
        let mut group = Group { folders: Vec::new(), doors: Vec::new() };
        for parent in parents()? {
            sweep(&parent);
            let folder = parent.join(&name);
            fs::create_dir(&folder)?;
            group.folders.push(folder);
        }
        // Swap last: its limit may not be below that of memory.
        let old = ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"];
        let new = ["memory.max", "memory.swap.max"];
        let limited = group.write(old[0], memory) || group.write(new[0], memory);
        let _ = group.write(old[1], memory) || group.write(new[1], 0);
        if !limited || !group.write("pids.max", processes) {
            return Err(io::Error::other("a control group takes no limits"));
        }
        for folder in &group.folders {
            group.doors.push(File::options().write(true).open(folder.join("cgroup.procs"))?);
        }
        Ok(group)
    }

    /// Writes a limit where the file for it is; whether it was taken.
    fn write(&self, name: &str, value: u64) -> bool {
        let mut files = self.folders.iter().map(|f| f.join(name)).filter(|f| f.exists());
        files.next().is_some_and(|file| fs::write(file, value.to_string()).is_ok())
    }

    /// Puts the calling process in. Async-signal-safe.
    pub(super) fn enter(&self) -> io::Result<()> {
        for door in &self.doors {
            // SAFETY: one byte of a constant. "0" stands for whoever writes.
            if unsafe { libc::write(door.as_raw_fd(), c"0".as_ptr().cast(), 1) } != 1 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(())
    }

    /// Whether the kernel killed one of its processes because memory was used up.
    pub fn ran_out(&self) -> bool {
        let counts = |file: PathBuf| {
            let text = fs::read_to_string(file).unwrap_or_default();
            let count = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
            count.is_some_and(|count| count.trim() != "0")
        };
        let files = ["memory.oom_control", "memory.events"];
        self.folders.iter().any(|folder| files.iter().any(|name| counts(folder.join(name))))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for folder in &self.folders {
            // The kernel lets go of a process a little after it was waited for.
            for _ in 0..50 {
                match fs::remove_dir(folder) {
                    Err(e) if e.raw_os_error() == Some(libc::EBUSY) => {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                    // What stays is swept by a later run.
                    _ => break,
                }
            }
        }
    }
}

const PREFIX: &str = "speedgate-";

/// The folders in which ours are made.
fn parents() -> io::Result<Vec<PathBuf>> {
    let mount = Path::new(MOUNT);
    if let Ok(text) = fs::read_to_string(mount.join("cgroup.subtree_control")) {
        let enabled: Vec<&str> = text.split_whitespace().collect();
        return if CONTROLLERS.iter().all(|c| enabled.contains(c)) {
            Ok(vec![mount.to_owned()])
        } else {
            Err(io::Error::other("the control groups of this machine pass no memory limits on"))
        };
    }
    // Below our own group, so that its limits hold for ours, too.
    let own = fs::read_to_string("/proc/self/cgroup")?;
    let parent = |controller: &str| {
        let line = own.lines().find(|line| line.split(':').nth(1) == Some(controller));
        let path = line.and_then(|line| line.splitn(3, ':').nth(2)).unwrap_or("/");
        let hierarchy = mount.join(controller);
        let ours = hierarchy.join(path.trim_start_matches('/'));
        // A container may show the path of the host's hierarchy, of which it sees a part.
        if ours.is_dir() { ours } else { hierarchy }
    };
    Ok(CONTROLLERS.map(parent).into())
}

/// Removes the groups of runs that were killed. One that has processes stays.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let run =
            name.to_str().and_then(|n| n.strip_prefix(PREFIX)).and_then(|n| n.split('-').next());
        if run.is_some_and(|pid| !Path::new("/proc").join(pid).exists()) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_gone_when_it_is_dropped() {
        let Ok(group) = Group::new(1 << 24, 1) else {
            eprintln!("SKIPPED: no control groups here");
            return;
        };
        let folders = group.folders.clone();
        assert!(folders.iter().all(|f| f.is_dir()) && !group.ran_out());
        drop(group);
        assert!(!folders.iter().any(|f| f.exists()));
    }
}
