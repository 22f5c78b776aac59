//! Locks between processes: files in a folder that one user alone can write to. The kernel holds
//! a lock for as long as its file is open, so it vanishes with its process, however that ends. A
//! file that nobody has locked means nothing, whatever it says.

use std::fs::{self, File, Permissions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use nix::fcntl::{OFlag, openat};
use nix::sys::stat::Mode;
use nix::unistd::geteuid;

/// Whoever looks at a lock holds it shared for some microseconds. One who wants it tries again.
const TRIES: usize = 4;
const PAUSE: Duration = Duration::from_millis(2);
/// Followed nowhere: a planted link, FIFO or device must neither lead elsewhere nor block.
const CAREFUL: OFlag = OFlag::O_NOFOLLOW.union(OFlag::O_NONBLOCK).union(OFlag::O_CLOEXEC);

/// A lock, held until it is dropped or the process ends.
#[derive(Debug)]
pub struct Lock(File);

impl Lock {
    /// Writes for people who holds it, in the place of what was written before.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn say(&mut self, text: &str) -> io::Result<()> {
        self.0.set_len(0)?;
        self.0.write_all(text.as_bytes())
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a child that another thread has just forked has the file open,
        // too, until it becomes another program.
        let _ = self.0.unlock();
    }
}

/// A folder of lock files.
#[derive(Debug)]
pub struct Folder {
    folder: File,
    path: PathBuf,
    owner: u32,
}

impl Folder {
    /// The caller's own, made if need be. `open` lets other users look at its locks (and hold up
    /// whoever wants one, by locking it themselves).
    ///
    /// # Errors
    /// When it can't be made, is no folder, or belongs to somebody else.
    pub fn own(path: &Path, open: bool) -> io::Result<Folder> {
        let mode = if open { 0o755 } else { 0o700 };
        match fs::DirBuilder::new().mode(mode).create(path) {
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(e),
            _ => {}
        }
        let folder = Folder::of(path, geteuid().as_raw())?;
        // The umask may have taken more than that away.
        if folder.folder.metadata()?.mode() & 0o777 != mode {
            folder.folder.set_permissions(Permissions::from_mode(mode))?;
        }
        Ok(folder)
    }

    /// One that must belong to `owner`, and be writable to nobody else.
    ///
    /// # Errors
    /// When it does not exist, is no folder (a link to one is none), or is not the owner's alone.
    pub fn of(path: &Path, owner: u32) -> io::Result<Folder> {
        let flags = (CAREFUL | OFlag::O_DIRECTORY).bits();
        let folder = File::options().read(true).custom_flags(flags).open(path)?;
        let meta = folder.metadata()?;
        if meta.uid() != owner || meta.mode() & 0o022 != 0 {
            let whose = format!("user {} owns it, mode {:o}", meta.uid(), meta.mode() & 0o7777);
            return Err(io::Error::other(format!("not user {owner}'s alone ({whose})")));
        }
        Ok(Folder { folder, path: path.to_owned(), owner })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whose it is.
    pub fn owner(&self) -> u32 {
        self.owner
    }

    /// Locks a file of the caller's own folder, made if need be; `None` where somebody else has.
    ///
    /// # Errors
    /// When what has that name is no plain file.
    pub fn lock(&self, name: &str) -> io::Result<Option<Lock>> {
        let file = self.open(name, CAREFUL | OFlag::O_WRONLY | OFlag::O_CREAT)?;
        for _ in 0..TRIES {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Lock(file))),
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
                Err(TryLockError::Error(e)) => return Err(e),
            }
        }
        Ok(None)
    }

    /// The file of that name, if somebody has locked it, for reading what it says.
    pub fn locked(&self, name: &str) -> Option<File> {
        // Whatever can't be opened holds no lock of ours.
        let file = self.open(name, CAREFUL | OFlag::O_RDONLY).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(file),
            Ok(()) => file.unlock().err().and(None),
            Err(TryLockError::Error(_)) => None,
        }
    }

    fn open(&self, name: &str, flags: OFlag) -> io::Result<File> {
        // As readable as the folder lets it be.
        let file = File::from(openat(&self.folder, name, flags, Mode::from_bits_truncate(0o644))?);
        if file.metadata()?.is_file() {
            return Ok(file);
        }
        let path = self.path.join(name);
        Err(io::Error::other(format!("{} is no plain file: remove it", path.display())))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn own(dir: &Path) -> Folder {
        Folder::own(&dir.join("locks"), true).unwrap()
    }

    #[test]
    fn a_lock_is_one_holders_until_it_ends() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (own(dir.path()), own(dir.path()));
        let held = a.lock("x").unwrap().unwrap();
        assert!(b.lock("x").unwrap().is_none() && b.locked("x").is_some());
        assert!(b.lock("y").unwrap().is_some(), "another one is free");
        drop(held);
        // The file is still there, and means nothing.
        assert!(dir.path().join("locks/x").exists() && b.locked("x").is_none());
        assert!(b.lock("x").unwrap().is_some());
    }

    #[test]
    fn a_look_does_not_keep_anybody_out() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (own(dir.path()), own(dir.path()));
        drop(a.lock("x"));
        assert!(b.locked("x").is_none());
        assert!(a.lock("x").unwrap().is_some());
    }

    #[test]
    fn planted_links_and_pipes_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let folder = own(dir.path());
        let victim = dir.path().join("victim");
        fs::write(&victim, "precious").unwrap();
        symlink(&victim, folder.path().join("link")).unwrap();
        nix::unistd::mkfifo(&folder.path().join("pipe"), Mode::S_IRWXU).unwrap();
        for name in ["link", "pipe"] {
            assert!(folder.lock(name).is_err(), "{name}");
            assert!(folder.locked(name).is_none(), "{name}");
        }
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
        // A link in the place of the folder.
        symlink(folder.path(), dir.path().join("elsewhere")).unwrap();
        assert!(Folder::own(&dir.path().join("elsewhere"), true).is_err());
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("open");
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o777)).unwrap();
        assert!(Folder::own(&path, true).unwrap_err().to_string().contains("777"));
        // Somebody else's.
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        assert!(Folder::of(&path, geteuid().as_raw()).is_ok());
        assert!(Folder::of(&path, geteuid().as_raw() + 1).is_err());
    }
}
