//! User ids that one run has to itself: no other grading's processes run under them, so that all
//! of a worker's can be counted and killed by id.

use std::io;
use std::path::Path;

use super::lock::{Folder, Lock};
use super::profile::{Party, Profile};

/// Where leases of this machine are held; the first that can be used.
const FOLDERS: [&str; 2] = ["/run/speedgate", "/var/lib/speedgate"];
/// First user id that is leased; beyond those of the parties that are shared.
const FIRST: u32 = 64_100;
/// Ids of one lease, and how many leases there are.
const IDS: u32 = 4;
const LEASES: u32 = 350;

/// Ids for the workers of one run, until dropped.
#[derive(Debug)]
pub struct Lease {
    /// First of its ids; none where everything runs as the caller.
    first: Option<u32>,
    /// Locked while the lease is held; the kernel lets go of it even if we are killed.
    _held: Option<Lock>,
}

impl Lease {
    /// Takes the first free one.
    ///
    /// # Errors
    /// When the folder of leases can't be used, or all are taken.
    pub fn take(profile: Profile) -> io::Result<Lease> {
        if profile == Profile::User {
            return Ok(Lease { first: None, _held: None });
        }
        let [first, other] = FOLDERS.map(Path::new);
        // The kernel counts a user's processes across containers, which do not see each other's
        // leases: where each begins to look is left to chance.
        let start = rand::random_range(0..LEASES);
        Lease::take_in(first, start).or_else(|_| Lease::take_in(other, start))
    }

    fn take_in(folder: &Path, start: u32) -> io::Result<Lease> {
        let folder = Folder::own(folder, false)?;
        for number in (start..LEASES).chain(0..start) {
            if let Some(file) = folder.lock(&format!("workers-{number}"))? {
                return Ok(Lease { first: Some(FIRST + IDS * number), _held: Some(file) });
            }
        }
        Err(io::Error::other(format!("all {LEASES} sets of user ids are taken")))
    }

    /// Whether a user id is one that is leased to workers, graded code among them.
    pub fn covers(uid: u32) -> bool {
        (FIRST..FIRST + IDS * LEASES).contains(&uid)
    }

    /// The user (and group) id of a worker; none where everything runs as the caller.
    pub fn uid(&self, party: Party) -> Option<u32> {
        let place = match party {
            Party::Oracle => 0,
            Party::Reference => 1,
            Party::Candidate => 2,
            Party::Blank => 3,
            // Builds take turns under an id of their own.
            Party::Builder => return None,
        };
        self.first.map(|first| first + place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_leases_share_no_id() {
        let folder = tempfile::tempdir().unwrap();
        let all = [Party::Oracle, Party::Reference, Party::Candidate, Party::Blank];
        let ids = |lease: &Lease| all.map(|p| lease.uid(p).unwrap());
        let first = Lease::take_in(folder.path(), 7).unwrap();
        let second = Lease::take_in(folder.path(), 7).unwrap();
        let both = [ids(&first), ids(&second)].concat();
        let different: std::collections::BTreeSet<_> = both.iter().collect();
        assert_eq!(different.len(), 8);
        assert!(both.iter().all(|&uid| Lease::covers(uid)) && !Lease::covers(1000));
        // What was let go is free again.
        let again = ids(&first);
        drop(first);
        assert_eq!(ids(&Lease::take_in(folder.path(), 7).unwrap()), again);
    }

    #[test]
    fn an_ordinary_user_leases_nothing() {
        assert_eq!(Lease::take(Profile::User).unwrap().uid(Party::Candidate), None);
    }
}
