//! Reading a folder that somebody hostile may have prepared, and may be changing right now.
//!
//! Every file is opened below the root without following any link, is asked what it is only
//! after that, and is read up to a bound. Nothing is opened that is not a plain file or folder.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::dir::Dir;
use nix::fcntl::{AtFlags, OFlag, OpenHow, ResolveFlag, openat2};
use nix::sys::stat::{FileStat, SFlag, fstatat};

/// A folder opened for careful reading.
pub(super) struct Root(OwnedFd);

/// What a name in a folder stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A plain file of this many bytes.
    File(u64),
    /// A folder.
    Folder,
    /// Anything else, in words.
    Odd(&'static str),
}

/// A name in a folder.
pub(super) struct Entry {
    /// As bytes of the file system say, replaced where they are no UTF-8.
    pub name: String,
    /// What it stands for.
    pub kind: Kind,
}

impl Root {
    /// Opens the folder itself; this path is the caller's and may hold links.
    pub fn open(path: &Path) -> io::Result<Root> {
        let flags = libc::O_DIRECTORY | libc::O_CLOEXEC;
        let root = File::options().read(true).custom_flags(flags).open(path)?;
        Ok(Root(OwnedFd::from(root)))
    }

    /// The names in a folder below the root (`""` for the root), sorted.
    pub fn list(&self, folder: &str) -> io::Result<Vec<Entry>> {
        let path = if folder.is_empty() { "." } else { folder };
        let mut dir = Dir::from_fd(self.beneath(path, OFlag::O_DIRECTORY)?)?;
        let mut raw = Vec::new();
        for entry in dir.iter() {
            let name = entry?.file_name().to_owned();
            if !matches!(name.to_bytes(), b"." | b"..") {
                raw.push(name);
            }
        }
        raw.sort();
        let mut entries = Vec::with_capacity(raw.len());
        for raw in raw {
            let (name, kind) = match raw.to_str() {
                Err(_) => {
                    (raw.to_string_lossy().into_owned(), Kind::Odd("a name that is not UTF-8"))
                }
                Ok(name) if name.contains(|c: char| c.is_control()) => {
                    (name.escape_debug().to_string(), Kind::Odd("a control character in its name"))
                }
                Ok(name) => {
                    let stat = fstatat(dir.as_fd(), raw.as_c_str(), AtFlags::AT_SYMLINK_NOFOLLOW)?;
                    (name.to_owned(), kind(&stat))
                }
            };
            entries.push(Entry { name, kind });
        }
        Ok(entries)
    }

    /// The content of a plain file below the root; none if it is larger than `most` bytes.
    pub fn read(&self, path: &str, most: u64) -> io::Result<Option<Vec<u8>>> {
        // A FIFO that took the file's place since it was listed must not make us wait.
        let file = File::from(self.beneath(path, OFlag::O_NONBLOCK)?);
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("changed while it was being read"));
        }
        let mut bytes = Vec::new();
        file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        Ok((bytes.len() as u64 <= most).then_some(bytes))
    }

    fn beneath(&self, path: &str, flags: OFlag) -> io::Result<OwnedFd> {
        let how = OpenHow::new()
            .flags(OFlag::O_RDONLY | OFlag::O_CLOEXEC | OFlag::O_NOFOLLOW | flags)
            .resolve(ResolveFlag::RESOLVE_BENEATH | ResolveFlag::RESOLVE_NO_SYMLINKS);
        Ok(openat2(self.0.as_fd(), path, how)?)
    }
}

fn kind(stat: &FileStat) -> Kind {
    match SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT {
        SFlag::S_IFREG => Kind::File(u64::try_from(stat.st_size).unwrap_or(0)),
        SFlag::S_IFDIR => Kind::Folder,
        SFlag::S_IFLNK => Kind::Odd("a symbolic link"),
        SFlag::S_IFIFO => Kind::Odd("a FIFO"),
        SFlag::S_IFSOCK => Kind::Odd("a socket"),
        _ => Kind::Odd("a device"),
    }
}
