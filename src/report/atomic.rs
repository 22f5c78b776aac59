//! Files that are written whole or not at all.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// How the names of files begin that are not in place yet.
pub const PREFIX: &str = ".speedgate-";

/// Replaces `path` by a file of these bytes (mode 0644): a fresh file beside it, created
/// exclusively, flushed to disk, renamed over it. Whatever stood there before, a symbolic link
/// included, is replaced and never followed; a reader sees the old or the new file.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut fresh = tempfile::Builder::new()
        .prefix(PREFIX)
        .permissions(Permissions::from_mode(0o644))
        .tempfile_in(folder)?;
    fresh.write_all(bytes)?;
    // The umask may have narrowed it; readers of a reward may be anybody.
    fresh.as_file().set_permissions(Permissions::from_mode(0o644))?;
    fresh.as_file().sync_all()?;
    fresh.persist(path).map_err(|e| e.error)?;
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn replaces_a_file_and_leaves_nothing_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        fs::write(&path, "old").unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o644);
    }

    #[test]
    fn a_link_is_replaced_and_never_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (victim, path) = (dir.path().join("victim"), dir.path().join("a"));
        fs::write(&victim, "precious").unwrap();
        symlink(&victim, &path).unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&victim).unwrap(), b"precious");
        assert!(fs::symlink_metadata(&path).unwrap().file_type().is_file());
    }

    #[test]
    fn failing_leaves_no_partial_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("taken");
        fs::create_dir(&path).unwrap();
        assert!(write(&path, b"new").is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
