//! Leases of cores, so that two measurements on one machine never share one.
//!
//! A lease of a core is a locked file `core-N`. Every user has a folder of their own for them,
//! which nobody else can write to (so that nobody can be led astray by what others plant there)
//! and everybody can look into. To have a core is to have locked it in one's own folder *and then*
//! to have found it unlocked in all others': of two users who try at once, at least one sees the
//! other. Nobody waits while holding, so nobody waits for each other; a lease ends with its
//! process.
//!
//! A line in the file says for people who holds it. Nothing is decided by it.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use nix::unistd::geteuid;
use serde::Serialize;

use super::cores::{self, Cores};
use crate::sandbox::{Folder, Lease, Lock};

/// Where root's folder is: the first that can be used. Only root can write there.
const ROOTS: [&str; 2] = ["/run", "/var/lib"];
/// Where other users' folders are: the first that can be used. Anybody can make one there.
const SHARED: [&str; 2] = ["/run/lock", "/tmp"];
/// Name of root's folder; another user's has the user's id at its end.
const FOLDER: &str = "speedgate-cores";
/// Bytes of what a lease says that are read and shown.
const SHOWN: u64 = 200;
/// Between two attempts, milliseconds: left to chance, so that two do not keep colliding.
const PAUSE_MS: std::ops::Range<u64> = 200..600;

/// The cores of one measurement, which nobody else measures on until it is dropped: the
/// supervisor's, the workers', and the SMT siblings of both, which stay idle.
#[derive(Debug)]
pub struct CoreLease {
    cores: Cores,
    _held: Vec<Lock>,
}

/// Who has leased a core.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Holder {
    /// The core.
    pub core: usize,
    /// User id of the folder it is leased in.
    pub user: u32,
    /// What it says of itself: the process, as seen from where it runs. Null when it says nothing.
    pub pid: Option<u32>,
    /// What it measures.
    pub what: String,
    /// Since when, RFC 3339 in UTC.
    pub since: String,
}

/// There are no cores to measure on.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// Others kept them.
    #[error("no cores became free to measure on: {}", in_words(.0))]
    Taken(Vec<Holder>),
    /// Nowhere to hold a lease.
    #[error("can't lease cores in `{}`: {source}", path.display())]
    Folder {
        /// The folder that was tried last.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl CoreLease {
    /// Leases two cores that are no SMT siblings (one, where there are no two), those of `what`
    /// from now on. Where too few are free it calls `tell` with who has the others, again
    /// whenever that changes, and waits.
    ///
    /// # Errors
    /// [`LeaseError::Taken`] when `patience` ran out.
    pub fn wait(
        what: &str,
        patience: Duration,
        tell: &dyn Fn(&[Holder]),
    ) -> Result<Self, LeaseError> {
        wait(&Places::here(), &cores::groups(), what, patience, tell)
    }

    /// The two cores.
    pub fn cores(&self) -> &Cores {
        &self.cores
    }
}

/// All leases of this machine, in order of their cores; those of containers that have folders of
/// their own can't be seen.
pub fn held() -> Vec<Holder> {
    let places = Places::here();
    let mut all: Vec<Holder> = places.all().iter().flat_map(held_in).collect();
    all.sort_by_key(|h| h.core);
    all
}

/// Cores for work that may be disturbed, such as checking outputs: where others measure only if
/// they measure everywhere.
pub fn spare() -> Cores {
    let (held, groups) = (held(), cores::groups());
    let idle = |group: &&Vec<usize>| !held.iter().any(|h| group.contains(&h.core));
    let spare: Vec<Vec<usize>> = groups.iter().filter(idle).cloned().collect();
    Cores::of(if spare.len() >= groups.len().min(2) { &spare } else { &groups })
}

/// `pid 7 (grade toy 01, since 2026-01-02T03:04:05Z) has core 0 and 1`
pub fn in_words(holders: &[Holder]) -> String {
    let mut rest = holders.to_vec();
    let mut all = Vec::new();
    while let Some(first) = rest.first().cloned() {
        let same = |h: &Holder| (h.user, h.pid, &h.what) == (first.user, first.pid, &first.what);
        let (mine, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(same);
        rest = others;
        let cores: Vec<String> = mine.iter().map(|h| h.core.to_string()).collect();
        let who = match first.pid {
            Some(pid) => format!("pid {pid} ({}, since {})", first.what, first.since),
            None => format!("a process of user {}", first.user),
        };
        all.push(format!("{who} has core {}", cores.join(" and ")));
    }
    all.join("; ")
}

/// The folders of leases.
struct Places {
    roots: Vec<PathBuf>,
    shared: Vec<PathBuf>,
}

impl Places {
    fn here() -> Self {
        let paths = |all: [&str; 2]| all.map(PathBuf::from).to_vec();
        Places { roots: paths(ROOTS), shared: paths(SHARED) }
    }

    /// The caller's own.
    fn own(&self) -> Result<Folder, LeaseError> {
        let me = geteuid();
        let paths = match me.is_root() {
            true => self.roots.iter().map(|r| r.join(FOLDER)).collect::<Vec<_>>(),
            false => self.shared.iter().map(|s| s.join(format!("{FOLDER}-{me}"))).collect(),
        };
        let mut error = LeaseError::Folder { path: PathBuf::new(), source: io::Error::other("") };
        for path in paths {
            match Folder::own(&path, true) {
                Ok(folder) => return Ok(folder),
                Err(source) => error = LeaseError::Folder { path, source },
            }
        }
        Err(error)
    }

    /// Everybody's that can be trusted to be theirs. Graded code has no say: workers' user ids
    /// lease nothing.
    fn all(&self) -> Vec<Folder> {
        let mut all: Vec<Folder> =
            self.roots.iter().filter_map(|r| Folder::of(&r.join(FOLDER), 0).ok()).collect();
        for entry in self.shared.iter().filter_map(|s| fs::read_dir(s).ok()).flatten().flatten() {
            let name = entry.file_name();
            let user = name.to_str().and_then(|n| n.strip_prefix(FOLDER)?.strip_prefix('-'));
            if let Some(user) = user.and_then(|u| u.parse().ok()).filter(|&u| !Lease::covers(u)) {
                all.extend(Folder::of(&entry.path(), user));
            }
        }
        all
    }
}

fn wait(
    places: &Places,
    groups: &[Vec<usize>],
    what: &str,
    patience: Duration,
    tell: &dyn Fn(&[Holder]),
) -> Result<CoreLease, LeaseError> {
    let begin = Instant::now();
    let mut told = Vec::new();
    loop {
        let holders = match take(places, groups, what)? {
            Ok(lease) => return Ok(lease),
            Err(holders) => holders,
        };
        let left = patience.saturating_sub(begin.elapsed());
        if left.is_zero() {
            return Err(LeaseError::Taken(holders));
        }
        if holders != told {
            tell(&holders);
            told = holders;
        }
        thread::sleep(left.min(Duration::from_millis(rand::random_range(PAUSE_MS))));
    }
}

/// One attempt: the first group that is free for the supervisor, the last one for the workers, so
/// that several measurements find room from both ends. All of it or nothing.
fn take(
    places: &Places,
    groups: &[Vec<usize>],
    what: &str,
) -> Result<Result<CoreLease, Vec<Holder>>, LeaseError> {
    let own = places.own()?;
    let others: Vec<Folder> =
        places.all().into_iter().filter(|folder| folder.path() != own.path()).collect();
    let line = line(what);
    let mut holders = Vec::new();
    let mut held = Vec::new();
    let mut chosen: Vec<&Vec<usize>> = Vec::new();
    let mut order: std::collections::VecDeque<_> = groups.iter().collect();
    while chosen.len() < groups.len().min(2) {
        let next = if chosen.is_empty() { order.pop_front() } else { order.pop_back() };
        let Some(group) = next else { return Ok(Err(holders)) };
        match seize(&own, &others, group, &line)
            .map_err(|source| LeaseError::Folder { path: own.path().to_owned(), source })?
        {
            Ok(locks) => {
                held.extend(locks);
                chosen.push(group);
            }
            Err(holder) => holders.push(holder),
        }
    }
    let chosen: Vec<Vec<usize>> = chosen.into_iter().cloned().collect();
    Ok(Ok(CoreLease { cores: Cores::of(&chosen), _held: held }))
}

/// Leases all of a group's cores, or says who has one of them.
fn seize(
    own: &Folder,
    others: &[Folder],
    group: &[usize],
    line: &str,
) -> io::Result<Result<Vec<Lock>, Holder>> {
    let mut locks = Vec::new();
    for &core in group {
        let Some(mut lock) = own.lock(&name(core))? else {
            return Ok(Err(holder(own, core).unwrap_or_else(|| unknown(own, core))));
        };
        lock.say(line)?;
        locks.push(lock);
    }
    let theirs = group.iter().find_map(|&core| others.iter().find_map(|f| holder(f, core)));
    Ok(match theirs {
        Some(holder) => Err(holder),
        None => Ok(locks),
    })
}

fn name(core: usize) -> String {
    format!("core-{core}")
}

/// `7 2026-01-02T03:04:05Z grade toy 01`
fn line(what: &str) -> String {
    let now = humantime::format_rfc3339_seconds(SystemTime::now());
    format!("{} {now} {what}\n", process::id())
}

fn held_in(folder: &Folder) -> Vec<Holder> {
    let files = fs::read_dir(folder.path()).into_iter().flatten().flatten();
    let core = |name: &Path| name.to_str()?.strip_prefix("core-")?.parse().ok();
    files
        .filter_map(|file| core(Path::new(&file.file_name())))
        .filter_map(|core| holder(folder, core))
        .collect()
}

/// Who holds a core in a folder, if somebody does.
fn holder(folder: &Folder, core: usize) -> Option<Holder> {
    let file = folder.locked(&name(core))?;
    let mut text = Vec::new();
    // What can't be read says nothing, and is a lease all the same.
    let _ = file.take(SHOWN).read_to_end(&mut text);
    let text: String =
        String::from_utf8_lossy(&text).trim_end().replace(|c: char| c.is_control(), "?");
    let mut parts = text.splitn(3, ' ');
    let (pid, since, what) = (parts.next(), parts.next(), parts.next());
    Some(Holder {
        pid: pid.and_then(|p| p.parse().ok()),
        since: since.unwrap_or_default().to_owned(),
        what: what.unwrap_or_default().to_owned(),
        ..unknown(folder, core)
    })
}

fn unknown(folder: &Folder, core: usize) -> Holder {
    let user = folder.owner();
    Holder { core, user, pid: None, what: String::new(), since: String::new() }
}

#[cfg(test)]
#[path = "lease_tests.rs"]
mod tests;
