//! Memory files: the arena that a worker and the supervisor share, and the library that is loaded.

use std::ffi::CString;
use std::fs;
use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::ptr::NonNull;

use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::mman::{MapFlags, ProtFlags, mmap, munmap};
use sha2::{Digest as _, Sha256};
use speedgate_harness::shared::Shared;
use speedgate_harness::wire;

use super::request::{self, Request};

/// Name of the memory file that holds a library.
pub const MEMORY_LIBRARY: &str = "speedgate-library";

/// One arena, mapped. Its size is sealed, so that a worker can't cut it short under a read.
#[derive(Debug)]
pub struct Arena {
    shared: Shared,
    base: NonNull<std::ffi::c_void>,
    len: usize,
}

impl Arena {
    /// Makes an arena of `len` bytes and the descriptor to hand to the worker.
    pub fn new(len: usize) -> io::Result<(Self, OwnedFd)> {
        let file = memory_file("speedgate-arena", len as u64)?;
        seal(&file, SealFlag::F_SEAL_SHRINK | SealFlag::F_SEAL_GROW | SealFlag::F_SEAL_SEAL)?;
        let size = NonZeroUsize::new(len).ok_or(io::ErrorKind::InvalidInput)?;
        let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        // SAFETY: a fresh shared mapping at an address of the kernel's choice.
        let base = unsafe { mmap(None, size, access, MapFlags::MAP_SHARED, &file, 0)? };
        // SAFETY: mapped above for `len` bytes, page-aligned, unmapped only when `self` is dropped.
        let shared = unsafe { Shared::new(base.as_ptr().cast(), len) };
        Ok((Self { shared, base, len }, file))
    }

    /// The memory.
    pub fn shared(&self) -> Shared {
        self.shared
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: our mapping; `Shared` copies are only handed out within this room.
        let _ = unsafe { munmap(self.base, self.len) };
    }
}

/// An arena that holds a request, as a file: for calls without a supervisor.
///
/// # Errors
/// Whatever the file system says; and when the request does not fit.
pub fn to_file(request: &Request<'_>, to: &Path) -> io::Result<()> {
    let len = (wire::PAYLOAD + request.tables.room() as usize).next_multiple_of(4096);
    let (arena, _) = Arena::new(len)?;
    request::write(&arena.shared(), request, false).map_err(io::Error::other)?;
    let mut bytes = vec![0; len];
    if !arena.shared().copy_out(0, &mut bytes) {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    fs::write(to, bytes)
}

/// A memory file of `len` bytes that can be sealed.
pub fn memory_file(name: &str, len: u64) -> io::Result<OwnedFd> {
    let name = CString::new(name)?;
    let file = memfd_create(name.as_c_str(), MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING)?;
    nix::unistd::ftruncate(&file, i64::try_from(len).map_err(|_| io::ErrorKind::InvalidInput)?)?;
    Ok(file)
}

/// Adds seals to a memory file.
pub fn seal(file: &OwnedFd, seals: SealFlag) -> io::Result<()> {
    fcntl(file, FcntlArg::F_ADD_SEALS(seals))?;
    Ok(())
}

/// The bytes of a library: what was audited (its hash) is what is loaded.
///
/// # Errors
/// In words, when it can't be read or is another one.
pub fn audited(path: &Path, sha256: &str) -> Result<Vec<u8>, String> {
    let bytes = fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let found = hex::encode(Sha256::digest(&bytes));
    if found != sha256 {
        return Err(format!("{} changed after it was audited ({found})", path.display()));
    }
    Ok(bytes)
}

/// A library in a sealed memory file.
///
/// # Errors
/// Whatever the kernel says.
pub fn sealed_copy(bytes: &[u8]) -> io::Result<OwnedFd> {
    let mut file = fs::File::from(memory_file(MEMORY_LIBRARY, 0)?);
    file.write_all(bytes)?;
    let file = OwnedFd::from(file);
    let all = SealFlag::F_SEAL_WRITE
        | SealFlag::F_SEAL_SHRINK
        | SealFlag::F_SEAL_GROW
        | SealFlag::F_SEAL_SEAL;
    seal(&file, all)?;
    Ok(file)
}

/// A library as a file that its reader can't change: ours, in a folder of ours.
///
/// # Errors
/// Whatever the file system says.
pub fn plain_copy(bytes: &[u8], to: &Path) -> io::Result<()> {
    fs::write(to, bytes)?;
    fs::set_permissions(to, fs::Permissions::from_mode(0o444))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_was_exchanged_after_its_audit_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("library.so");
        fs::write(&path, "audited").unwrap();
        let sha256 = hex::encode(Sha256::digest("audited"));
        assert_eq!(audited(&path, &sha256).unwrap(), b"audited");
        fs::write(&path, "another").unwrap();
        assert!(audited(&path, &sha256).unwrap_err().contains("changed after it was audited"));
        fs::remove_file(&path).unwrap();
        assert!(audited(&path, &sha256).is_err());
    }

    #[test]
    fn a_sealed_copy_cannot_be_changed_and_an_arena_cannot_be_cut_short() {
        let copy = fs::File::from(sealed_copy(b"library").unwrap());
        assert!((&copy).write_all(b"other").is_err() && copy.set_len(0).is_err());
        let (arena, file) = Arena::new(8192).unwrap();
        let file = fs::File::from(file);
        assert!(file.set_len(0).is_err() && file.set_len(1 << 20).is_err());
        assert_eq!(arena.shared().len(), 8192);
    }
}
