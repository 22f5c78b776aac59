//! Folders for a while. Each is locked by whoever made it, so that those of a process that was
//! killed can be told from those in use, and are removed by the next one that makes one beside it.

use std::fs::{self, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

const PREFIX: &str = "speedgate-";
/// Between making a folder and locking it nobody may take it for abandoned.
const YOUNG: Duration = Duration::from_secs(60);

/// A folder that goes away when it is dropped, or is swept up after its process was killed.
#[derive(Debug)]
pub struct Scratch {
    dir: TempDir,
    /// Locked for as long as it is open.
    _held: File,
}

impl Scratch {
    /// A fresh one in `parent` with these permissions. Abandoned ones beside it are removed.
    ///
    /// # Errors
    /// Whatever the file system says.
    pub fn new_in(parent: &Path, mode: u32) -> io::Result<Self> {
        sweep(parent, YOUNG);
        let closed = Permissions::from_mode(mode);
        let dir = tempfile::Builder::new().prefix(PREFIX).permissions(closed).tempdir_in(parent)?;
        let held = open(dir.path())?;
        held.lock()?;
        Ok(Self { dir, _held: held })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Leaves it where it is, or under another name.
    pub fn keep(self) -> PathBuf {
        self.dir.keep()
    }
}

fn open(dir: &Path) -> io::Result<File> {
    File::options().read(true).custom_flags(libc::O_DIRECTORY | libc::O_NOFOLLOW).open(dir)
}

/// Removes our user's folders that nobody holds; what can't be removed stays.
fn sweep(parent: &Path, young: Duration) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_none_or(|name| !name.starts_with(PREFIX)) {
            continue;
        }
        let Ok(folder) = open(&entry.path()) else { continue };
        let abandoned = || -> io::Result<bool> {
            let meta = folder.metadata()?;
            let age = SystemTime::now().duration_since(meta.modified()?).unwrap_or_default();
            let ours = meta.uid() == nix::unistd::geteuid().as_raw();
            match folder.try_lock() {
                Err(TryLockError::WouldBlock) => Ok(false),
                Err(TryLockError::Error(error)) => Err(error),
                Ok(()) => Ok(ours && age >= young),
            }
        };
        if abandoned().unwrap_or(false) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_stays_and_what_was_abandoned_goes() {
        let parent = tempfile::tempdir().unwrap();
        let held = Scratch::new_in(parent.path(), 0o700).unwrap();
        let abandoned = Scratch::new_in(parent.path(), 0o700).unwrap().keep();
        fs::write(abandoned.join("file"), "half").unwrap();
        let foreign = parent.path().join("other");
        fs::create_dir(&foreign).unwrap();
        sweep(parent.path(), YOUNG);
        assert!(abandoned.exists(), "it may just have been made");
        sweep(parent.path(), Duration::ZERO);
        assert!(!abandoned.exists() && held.path().exists() && foreign.exists());
        let path = held.path().to_owned();
        drop(held);
        assert!(!path.exists());
    }
}
