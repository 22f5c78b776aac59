//! What a worker is locked into once it runs: a root folder with nothing but its library in it (and
//! what that reads while it is set up), Landlock, and system call filters. The worker puts these walls up itself, before it maps
//! graded code ([`speedgate_harness::confine`]); here is what it needs for that.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::{OwnedFd, RawFd};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::child::{self, Left};
use super::jail::Jail;
use super::landlock::{self, Sight};
use super::profile::{Party, Profile};
use crate::task::files::Files;
use crate::task::scratch::Scratch;
use speedgate_harness::confine::{Confinement, DATA_NAME, LIBRARY_NAME, ROOT_FD, RULES_FD, Walls};

/// The walls that this machine can put around a worker: each is tried in a throw-away child.
pub fn walls(profile: Profile) -> Walls {
    let uid = profile.uid(Party::Blank);
    let here = std::env::temp_dir();
    let stands = |walls: Walls| {
        let attempt = || -> io::Result<bool> {
            let (_cell, pass) = Cell::new(walls, &here, None)?;
            let confinement = Confinement::new(walls, 0)?;
            let jail = Jail { uid, may_chroot: walls.chroot, ..Jail::default() };
            let mut jail = jail.prepare(pass)?;
            let inside = || {
                let built = jail.enter().and_then(|()| confinement.load());
                u8::from(built.and_then(|()| confinement.call()).is_ok())
            };
            // SAFETY: entering and confining only make system calls.
            Ok(unsafe { child::fork(inside) }? == Left::Byte(1))
        };
        attempt().unwrap_or(false)
    };
    let none = Walls::default();
    Walls {
        chroot: uid.is_some() && stands(Walls { chroot: true, ..none }),
        landlock: stands(Walls { landlock: true, ..none }),
        seccomp: stands(Walls { seccomp: true, ..none }),
    }
}

/// A worker's root folder. It is gone when this is dropped, and a worker that is inside by then
/// has a root in which nothing is and nothing can be made. Without a root of its own, it is a folder
/// for data alone.
#[derive(Debug)]
pub struct Cell {
    dir: Option<Scratch>,
    is_root: bool,
}

impl Cell {
    /// Makes what `walls` take, the folder (if any) in `parent`, with `data` in it; and the
    /// descriptors to pass to the worker.
    ///
    /// # Errors
    /// Whatever the file system says; where Landlock is asked for and is not there.
    pub fn new(
        walls: Walls,
        parent: &Path,
        data: Option<&Files>,
    ) -> io::Result<(Self, Vec<(OwnedFd, RawFd)>)> {
        let mut pass = Vec::new();
        let mut sight = Sight::default();
        let is_root = walls.chroot;
        // A root is nobody's to write in, not even its owner's if that is us; what is not a root has
        // to be filled by somebody who may not be root.
        let mode = if is_root { 0o555 } else { 0o755 };
        let needed = is_root || data.is_some();
        let dir = needed.then(|| Scratch::new_in(parent, mode)).transpose()?;
        if let Some(dir) = &dir {
            // The umask may have narrowed it.
            fs::set_permissions(dir.path(), Permissions::from_mode(mode))?;
            if let Some(data) = data {
                let inside = dir.path().join(DATA_NAME);
                fs::create_dir(&inside)?;
                fs::set_permissions(&inside, Permissions::from_mode(0o755))?;
                data.write(&inside, 0o444)?;
            }
            sight.read.push(dir.path().to_owned());
        }
        if let Some(dir) = dir.as_ref().filter(|_| is_root) {
            let folder =
                File::options().read(true).custom_flags(libc::O_DIRECTORY).open(dir.path())?;
            pass.push((folder.into(), ROOT_FD));
        }
        if walls.landlock {
            let rules = landlock::rules(&sight)?.ok_or(io::ErrorKind::Unsupported)?;
            pass.push((rules, RULES_FD));
        }
        Ok((Self { dir, is_root }, pass))
    }

    /// Where the library has to be put, if the worker is to find it in its root.
    pub fn library(&self) -> Option<PathBuf> {
        let root = self.dir.as_ref().filter(|_| self.is_root);
        root.map(|dir| dir.path().join(LIBRARY_NAME))
    }

    /// The folder of the data as the worker sees it; empty where there is none.
    pub fn data(&self) -> String {
        let Some(dir) = &self.dir else { return String::new() };
        match self.is_root {
            true => format!("/{DATA_NAME}"),
            false => dir.path().join(DATA_NAME).display().to_string(),
        }
    }
}
