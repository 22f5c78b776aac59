//! A source tree in memory: small enough to hold, and nothing can change under us.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use sha2::{Digest, Sha256};
use walkdir::WalkDir;

/// Files by their path relative to the root of the tree (`/` between the parts).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files(pub BTreeMap<String, Vec<u8>>);

impl Files {
    /// Reads a folder that we trust. Only regular files count; a symbolic link is an error, as is
    /// a name that is not UTF-8.
    ///
    /// # Errors
    /// Whatever the file system says, with the path in it.
    pub fn read(dir: &Path) -> io::Result<Files> {
        let mut files = BTreeMap::new();
        for entry in WalkDir::new(dir).min_depth(1) {
            let entry = entry.map_err(io::Error::from)?;
            let path = entry.path();
            if entry.file_type().is_dir() {
                continue;
            }
            if !entry.file_type().is_file() {
                return Err(odd(path, "is neither a file nor a folder"));
            }
            let relative = path.strip_prefix(dir).ok().and_then(Path::to_str);
            let relative = relative.ok_or_else(|| odd(path, "has a name that is not UTF-8"))?;
            let bytes = fs::read(path).map_err(|e| odd(path, &e.to_string()))?;
            files.insert(relative.to_owned(), bytes);
        }
        Ok(Files(files))
    }

    /// Writes every file below `dir`, which exists; folders get mode 0755 and files `mode`,
    /// whatever the umask is.
    ///
    /// # Errors
    /// Whatever the file system says, with the path in it.
    pub fn write(&self, dir: &Path, mode: u32) -> io::Result<()> {
        for (name, bytes) in &self.0 {
            let path = dir.join(name);
            let parent = path.parent().unwrap_or(dir);
            make_folders(dir, parent).map_err(|e| odd(parent, &e.to_string()))?;
            fs::write(&path, bytes).map_err(|e| odd(&path, &e.to_string()))?;
            fs::set_permissions(&path, Permissions::from_mode(mode))?;
        }
        Ok(())
    }

    /// One hash over all names and contents.
    pub fn sha256(&self) -> String {
        let mut hash = Sha256::new();
        for (name, bytes) in &self.0 {
            // Lengths first, so that no two trees spell the same stream.
            hash.update((name.len() as u64).to_le_bytes());
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(name.as_bytes());
            hash.update(bytes);
        }
        hex::encode(hash.finalize())
    }
}

/// sha256 of some bytes, lower-case hex.
pub fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// A set of globs over paths of a tree: `*` stays within a folder, `**` does not.
///
/// # Errors
/// When one of them is no glob.
pub fn globs(patterns: &[String]) -> Result<GlobSet, globset::Error> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        set.add(GlobBuilder::new(pattern).literal_separator(true).build()?);
    }
    set.build()
}

fn make_folders(root: &Path, dir: &Path) -> io::Result<()> {
    if dir == root || dir.is_dir() {
        return Ok(());
    }
    if let Some(parent) = dir.parent() {
        make_folders(root, parent)?;
    }
    fs::create_dir(dir)?;
    fs::set_permissions(dir, Permissions::from_mode(0o755))
}

fn odd(path: &Path, what: &str) -> io::Error {
    io::Error::other(format!("{}: {what}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(list: &[(&str, &str)]) -> Files {
        Files(list.iter().map(|(n, b)| ((*n).to_owned(), b.as_bytes().to_vec())).collect())
    }

    #[test]
    fn what_is_written_is_read_again() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let tree = files(&[("a.c", "int a;"), ("deep/er/b.h", "")]);
        tree.write(dir.path(), 0o444).expect("writes");
        assert_eq!(Files::read(dir.path()).expect("reads"), tree);
    }

    #[test]
    fn a_symbolic_link_is_refused() {
        let dir = tempfile::tempdir().expect("temporary folder");
        std::os::unix::fs::symlink("/etc/passwd", dir.path().join("x")).expect("links");
        assert!(Files::read(dir.path()).expect_err("refused").to_string().contains("/x"));
    }

    #[test]
    fn the_hash_tells_names_and_contents_apart() {
        let a = files(&[("ab", "c")]);
        let b = files(&[("a", "bc")]);
        assert_ne!(a.sha256(), b.sha256());
        assert_ne!(files(&[]).sha256(), files(&[("", "")]).sha256());
    }
}
