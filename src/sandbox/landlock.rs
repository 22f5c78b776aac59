//! Landlock: which files a process can reach, whoever it runs as.

use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, Scope, path_beneath_rules,
};

/// Files and folders that a process may reach; all others are closed to it, as are TCP, signals to
/// processes outside and abstract sockets, as far as the kernel's version of Landlock goes. What
/// is not there is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sight {
    /// To be read and run.
    pub read: Vec<PathBuf>,
    /// To be written, too.
    pub write: Vec<PathBuf>,
}

impl Sight {
    /// What compilers and linkers of the system read; of devices, only the one that holds nothing.
    pub fn toolchain() -> Sight {
        let folders = [
            "/bin",
            "/lib",
            "/lib32",
            "/lib64",
            "/usr/bin",
            "/usr/include",
            "/usr/lib",
            "/usr/lib32",
            "/usr/lib64",
            "/usr/libexec",
            "/usr/local/bin",
            "/usr/local/include",
            "/usr/local/lib",
            "/etc/alternatives",
            "/etc/ld.so.cache",
        ];
        Sight { read: folders.map(PathBuf::from).into(), write: vec!["/dev/null".into()] }
    }
}

/// The newest rights that we ask for; a kernel that knows fewer enforces those.
const NEWEST: ABI = ABI::V6;

/// A ruleset for [`restrict_files`](speedgate_harness::confine::restrict_files); none where the kernel has no Landlock.
///
/// # Errors
/// When the kernel has it and refuses.
pub(super) fn rules(sight: &Sight) -> io::Result<Option<OwnedFd>> {
    let make = || -> Result<Option<OwnedFd>, RulesetError> {
        let ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(NEWEST))?
            .handle_access(AccessNet::from_all(NEWEST))?
            .scope(Scope::from_all(NEWEST))?
            .create()?
            .add_rules(path_beneath_rules(&sight.read, AccessFs::from_read(NEWEST)))?
            .add_rules(path_beneath_rules(&sight.write, AccessFs::from_all(NEWEST)))?;
        Ok(ruleset.into())
    };
    make().map_err(io::Error::other)
}
