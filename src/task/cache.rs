//! The cache folder: content-addressed entries that are complete and verified, or absent.
//!
//! ```text
//! <cache>/<kind>/<key>/SHA256SUMS    one line a file: hash, two spaces, name
//! <cache>/<kind>/<key>/files/...
//! <cache>/tmp/...                    what is being made; renamed into place when it is whole
//! ```
//! The folders of entries are closed to other users: graded code must find neither the unstripped
//! upstream source nor a library built from a reference solution. A library is handed to a worker
//! as an open descriptor.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::files::{Files, sha256};
use super::scratch::Scratch;

/// A cache folder.
#[derive(Debug, Clone)]
pub struct Cache {
    root: PathBuf,
}

/// Why the cache cannot be used.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum CacheError {
    /// There is no place for it.
    #[error("no place for the cache: neither SPEEDGATE_CACHE, XDG_CACHE_HOME nor HOME is set")]
    #[diagnostic(help("set SPEEDGATE_CACHE to a folder of your own"))]
    Nowhere,
    /// The file system refuses.
    #[error("the cache folder {path} cannot be used: {source}")]
    #[diagnostic(help("set SPEEDGATE_CACHE to a folder of your own"))]
    Unusable {
        /// The folder.
        path: PathBuf,
        /// What the file system said.
        source: io::Error,
    },
    /// The builder's user could not get at its own folder.
    #[error("{path}, above or at the cache folder, is closed to other users")]
    #[diagnostic(help("set SPEEDGATE_CACHE to a folder that everybody may pass through"))]
    Closed {
        /// The folder.
        path: PathBuf,
    },
    /// Somebody else could plant libraries in it.
    #[error("the cache folder {path} belongs to, or may be written by, somebody else")]
    #[diagnostic(help("chown it to the user who runs speedgate and chmod it to 755"))]
    Foreign {
        /// The folder.
        path: PathBuf,
    },
}

const SUMS: &str = "SHA256SUMS";
const FILES: &str = "files";

impl Cache {
    /// The cache of this user: `SPEEDGATE_CACHE`, else `/var/cache/speedgate` for root, else
    /// `speedgate` in `XDG_CACHE_HOME` or `~/.cache`.
    ///
    /// # Errors
    /// See [`CacheError`].
    pub fn open() -> Result<Cache, CacheError> {
        let folder = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let root = if let Some(own) = folder("SPEEDGATE_CACHE") {
            own
        } else if nix::unistd::geteuid().is_root() {
            PathBuf::from("/var/cache/speedgate")
        } else {
            folder("XDG_CACHE_HOME")
                .or_else(|| folder("HOME").map(|home| home.join(".cache")))
                .ok_or(CacheError::Nowhere)?
                .join("speedgate")
        };
        Cache::at(&root)
    }

    /// The cache in `root`, which is made if it is not there.
    ///
    /// # Errors
    /// See [`CacheError`].
    pub fn at(root: &Path) -> Result<Cache, CacheError> {
        let unusable = |source| CacheError::Unusable { path: root.to_owned(), source };
        let new = !root.exists();
        fs::create_dir_all(root).map_err(unusable)?;
        let root = fs::canonicalize(root).map_err(unusable)?;
        if new {
            fs::set_permissions(&root, Permissions::from_mode(0o755)).map_err(unusable)?;
        }
        let meta = fs::metadata(&root).map_err(unusable)?;
        let us = nix::unistd::geteuid();
        if meta.uid() != us.as_raw() || meta.mode() & 0o022 != 0 {
            return Err(CacheError::Foreign { path: root });
        }
        if us.is_root() {
            // The builder, another user, works in a folder of the cache with a linker from it.
            let closed = |path: &&Path| fs::metadata(path).is_ok_and(|m| m.mode() & 0o001 == 0);
            if let Some(path) = root.ancestors().find(closed) {
                return Err(CacheError::Closed { path: path.to_owned() });
            }
        }
        Ok(Cache { root })
    }

    /// A folder of the cache that others may not enter, made if it is not there.
    ///
    /// # Errors
    /// Whatever the file system says.
    pub fn private(&self, name: &str) -> io::Result<PathBuf> {
        self.folder(name, 0o700)
    }

    /// A folder of the cache that others may pass through, made if it is not there.
    ///
    /// # Errors
    /// Whatever the file system says.
    pub fn public(&self, name: &str) -> io::Result<PathBuf> {
        self.folder(name, 0o711)
    }

    /// A fresh folder on the cache's file system, closed to others, that goes away when dropped.
    ///
    /// # Errors
    /// Whatever the file system says.
    pub fn scratch(&self) -> io::Result<Scratch> {
        Scratch::new_in(&self.public("tmp")?, 0o700)
    }

    /// The files of an entry, if it is there and every byte is as it was stored. One that is not
    /// is thrown away.
    pub fn load(&self, kind: &str, key: &str) -> Option<Files> {
        let entry = self.root.join(kind).join(key);
        let sums = fs::read_to_string(entry.join(SUMS)).ok()?;
        let files = verified(&entry, &sums);
        if files.is_none() {
            // Best effort: an entry that cannot be removed is found broken again next time.
            let _ = fs::remove_dir_all(&entry);
        }
        files
    }

    /// Where a file of a stored entry lies.
    pub fn path(&self, kind: &str, key: &str, file: &str) -> PathBuf {
        self.root.join(kind).join(key).join(FILES).join(file)
    }

    /// Stores an entry, whole or not at all. One that is there already wins.
    ///
    /// # Errors
    /// Whatever the file system says.
    pub fn store(&self, kind: &str, key: &str, files: &Files) -> io::Result<()> {
        let folder = self.private(kind)?;
        let scratch = self.scratch()?;
        let content = scratch.path().join(FILES);
        fs::create_dir(&content)?;
        // Files are readable by all: a worker opens its library through a descriptor of ours.
        files.write(&content, 0o444)?;
        let lines = files.0.iter().map(|(name, bytes)| format!("{}  {name}\n", sha256(bytes)));
        fs::write(scratch.path().join(SUMS), lines.collect::<String>())?;
        let place = folder.join(key);
        match fs::rename(scratch.path(), &place) {
            Ok(()) => {
                // Renamed away: nothing is left to clean up.
                let _ = scratch.keep();
                Ok(())
            }
            Err(_) if place.join(SUMS).is_file() => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn folder(&self, name: &str, mode: u32) -> io::Result<PathBuf> {
        let path = self.root.join(name);
        match fs::create_dir(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => fs::set_permissions(&path, Permissions::from_mode(mode))?,
        }
        Ok(path)
    }
}

fn verified(entry: &Path, sums: &str) -> Option<Files> {
    let mut files = BTreeMap::new();
    for line in sums.lines() {
        let (sum, name) = line.split_once("  ")?;
        let bytes = fs::read(entry.join(FILES).join(name)).ok()?;
        if sha256(&bytes) != sum {
            return None;
        }
        files.insert(name.to_owned(), bytes);
    }
    Some(Files(files))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn cache() -> (TempDir, Cache) {
        let dir = tempfile::tempdir().expect("temporary folder");
        let cache = Cache::at(&dir.path().join("cache")).expect("opens");
        (dir, cache)
    }

    fn files() -> Files {
        Files([("a/b.txt".to_owned(), b"text".to_vec()), ("c".to_owned(), Vec::new())].into())
    }

    #[test]
    fn what_is_stored_is_loaded() {
        let (_dir, cache) = cache();
        assert_eq!(cache.load("kind", "key"), None);
        cache.store("kind", "key", &files()).expect("stores");
        assert_eq!(cache.load("kind", "key"), Some(files()));
        // Twice is once.
        cache.store("kind", "key", &files()).expect("stores");
        assert_eq!(cache.load("kind", "key"), Some(files()));
        let left = fs::read_dir(cache.root.join("tmp")).expect("there").count();
        assert_eq!(left, 0, "nothing half-made is left behind");
    }

    #[test]
    fn a_changed_or_missing_file_makes_the_entry_absent() {
        let (_dir, cache) = cache();
        for spoil in [
            |path: &Path| fs::remove_file(path),
            |path: &Path| {
                fs::remove_file(path)?;
                fs::write(path, "test")
            },
        ] {
            cache.store("kind", "key", &files()).expect("stores");
            spoil(&cache.path("kind", "key", "a/b.txt")).expect("spoils");
            assert_eq!(cache.load("kind", "key"), None);
            assert!(!cache.root.join("kind/key").exists());
        }
    }

    #[test]
    fn entries_are_closed_to_others() {
        let (_dir, cache) = cache();
        cache.store("kind", "key", &files()).expect("stores");
        let mode = |path: &Path| fs::metadata(path).expect("there").mode() & 0o777;
        assert_eq!(mode(&cache.root.join("kind")), 0o700);
        assert_eq!(mode(cache.scratch().expect("makes").path()), 0o700);
    }

    #[test]
    fn a_folder_that_others_may_write_is_refused() {
        let (_dir, cache) = cache();
        fs::set_permissions(&cache.root, Permissions::from_mode(0o777)).expect("chmod");
        assert!(matches!(Cache::at(&cache.root), Err(CacheError::Foreign { .. })));
    }

    #[test]
    fn root_needs_a_cache_that_the_builder_can_reach() {
        if !nix::unistd::geteuid().is_root() {
            eprintln!("SKIPPED: only root has a builder's user");
            return;
        }
        let (dir, cache) = cache();
        fs::set_permissions(&cache.root, Permissions::from_mode(0o700)).expect("chmod");
        match Cache::at(&cache.root) {
            Err(CacheError::Closed { path }) => assert_eq!(path, cache.root),
            other => panic!("{other:?}"),
        }
        drop(dir);
    }
}
