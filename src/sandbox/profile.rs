//! What this machine and this user allow.

use super::child::{self, Left};

/// The processes that run what we do not trust, each under its own user id where possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Party {
    /// Compilers and linkers over a candidate's files.
    Builder,
    /// The timed worker with the reference library.
    Reference,
    /// The timed worker with the candidate library.
    Candidate,
    /// The untimed worker that gives expected outputs.
    Oracle,
    /// The timed worker whose function is empty.
    Blank,
}

/// The two sets of layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Containers and machines where we are root: every party has its own user id.
    Root,
    /// Laptops: everything runs as the caller. For practice, or a workspace that is trusted.
    User,
}

impl Profile {
    /// Root if we are, *and* can become somebody else (a container may forbid it); else user.
    pub fn detect() -> Profile {
        // SAFETY: `geteuid` cannot fail and touches no memory.
        let root = unsafe { libc::geteuid() } == 0;
        let uid = Party::Blank.root_uid();
        // SAFETY: `become_user` only makes system calls.
        let switched = || unsafe { child::fork(|| u8::from(become_user(uid).is_ok())) };
        if root && matches!(switched(), Ok(Left::Byte(1))) { Profile::Root } else { Profile::User }
    }

    /// The user (and group) id of a party; none where everything runs as the caller.
    pub fn uid(self, party: Party) -> Option<u32> {
        match self {
            Profile::Root => Some(party.root_uid()),
            Profile::User => None,
        }
    }
}

impl Party {
    /// Ids beyond those that distributions and containers give out.
    fn root_uid(self) -> u32 {
        match self {
            Party::Builder => 64001,
            Party::Reference => 64002,
            Party::Candidate => 64003,
            Party::Oracle => 64004,
            Party::Blank => 64005,
        }
    }
}

/// Closes this process's memory to other processes of its user, and to core files.
pub fn close_memory() {
    // SAFETY: `prctl` with plain numbers.
    unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0) };
}

/// Becomes `uid` for good: no supplementary groups, group first, all three ids. Async-signal-safe.
pub(super) fn become_user(uid: u32) -> std::io::Result<()> {
    // SAFETY: plain system calls; the group list is empty, so its pointer is not read.
    let result = unsafe {
        if libc::setgroups(0, std::ptr::null()) != 0 || libc::setresgid(uid, uid, uid) != 0 {
            -1
        } else {
            libc::setresuid(uid, uid, uid)
        }
    };
    if result == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parties_of_root_have_distinct_ids_and_those_of_a_user_none() {
        let all = [Party::Builder, Party::Reference, Party::Candidate, Party::Oracle, Party::Blank];
        let ids: std::collections::BTreeSet<_> = all.map(|p| Profile::Root.uid(p)).into();
        assert_eq!(ids.len(), all.len());
        assert!(all.iter().all(|&p| Profile::User.uid(p).is_none()));
    }

    #[test]
    fn an_ordinary_user_is_never_root() {
        // SAFETY: `geteuid` cannot fail.
        if unsafe { libc::geteuid() } != 0 {
            assert_eq!(Profile::detect(), Profile::User);
        }
    }
}
