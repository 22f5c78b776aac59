//! The walls that a worker puts around itself once it is the program it is meant to be, and
//! before any graded code is mapped. (Those that stand before `exec` are the supervisor's.)

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::RawFd;

use crate::filter::Filters;

/// Descriptor of the folder that becomes the root.
pub const ROOT_FD: RawFd = 5;
/// Descriptor of the Landlock ruleset.
pub const RULES_FD: RawFd = 6;
/// Name of the library in that folder.
pub const LIBRARY_NAME: &str = "library.so";
/// Name of the folder there with what the library may read while it is set up.
pub const DATA_NAME: &str = "data";

/// Which walls a worker is to have; what of them cannot be put up is an error, never left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Walls {
    /// A root folder of its own, with nothing in it but its library ([`ROOT_FD`]).
    pub chroot: bool,
    /// Landlock: no file but those below that folder ([`RULES_FD`]).
    pub landlock: bool,
    /// System call filters.
    pub seccomp: bool,
}

const NAMES: [&str; 3] = ["chroot", "landlock", "seccomp"];

impl Walls {
    /// As an argument of the worker.
    pub fn to_arg(self) -> OsString {
        let all = NAMES.into_iter().zip([self.chroot, self.landlock, self.seccomp]);
        let names: Vec<&str> = all.filter_map(|(name, there)| there.then_some(name)).collect();
        names.join(",").into()
    }

    /// From that argument; `None` if it is none.
    pub fn from_arg(arg: &OsStr) -> Option<Self> {
        let mut walls = Self::default();
        for name in arg.to_str()?.split(',').filter(|name| !name.is_empty()) {
            match name {
                "chroot" => walls.chroot = true,
                "landlock" => walls.landlock = true,
                "seccomp" => walls.seccomp = true,
                _ => return None,
            }
        }
        Some(walls)
    }
}

/// Walls made ready: everything that takes memory is done.
#[derive(Debug)]
pub struct Confinement {
    walls: Walls,
    filters: Option<Filters>,
}

impl Confinement {
    /// For the process `pid`.
    ///
    /// # Errors
    /// On a processor for which no filters can be made.
    pub fn new(walls: Walls, pid: u32) -> io::Result<Self> {
        let filters = walls.seccomp.then(|| Filters::new(pid)).transpose()?;
        Ok(Self { walls, filters })
    }

    /// Before graded code is mapped. Async-signal-safe.
    ///
    /// # Errors
    /// When a wall cannot be put up; the process must then end.
    pub fn load(&self) -> io::Result<()> {
        if self.walls.chroot {
            // SAFETY: a descriptor by number and a constant path that ends in NUL.
            check(unsafe { libc::fchdir(ROOT_FD) })?;
            // SAFETY: as above.
            check(unsafe { libc::chroot(c".".as_ptr()) })?;
        }
        drop_capabilities()?;
        if self.walls.landlock {
            restrict_files(RULES_FD)?;
        }
        for fd in [ROOT_FD, RULES_FD] {
            // SAFETY: ours, used for the last time; closing one that is not open does nothing.
            unsafe { libc::close(fd) };
        }
        self.filters.as_ref().map_or(Ok(()), Filters::load)
    }

    /// After the library is loaded, before it is called. Async-signal-safe.
    ///
    /// # Errors
    /// As for [`Confinement::load`].
    pub fn call(&self) -> io::Result<()> {
        self.filters.as_ref().map_or(Ok(()), Filters::call)
    }
}

/// Binds the calling process to a Landlock ruleset, for good. Async-signal-safe.
///
/// # Errors
/// When the process may still gain privileges.
pub fn restrict_files(rules: RawFd) -> io::Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, rules, 0) as i32 })
}

/// Empties the effective, permitted and inheritable sets of capabilities, and with them the
/// ambient one. Async-signal-safe.
///
/// # Errors
/// Whatever the kernel says; giving up is never refused.
pub fn drop_capabilities() -> io::Result<()> {
    set_capabilities(0)
}

/// Makes `only` (a bit for each of the first 32) the three sets of capabilities. Async-signal-safe.
///
/// # Errors
/// When one of them is not there to keep.
pub fn set_capabilities(only: u32) -> io::Result<()> {
    /// `_LINUX_CAPABILITY_VERSION_3`, capset(2): header {version, pid}, then {effective,
    /// permitted, inheritable} of the lower and of the upper half.
    const VERSION_3: u32 = 0x2008_0522;
    let header: [u32; 2] = [VERSION_3, 0];
    let sets = [only, only, only, 0, 0, 0];
    // SAFETY: both arrays have the layout of capset(2) and outlive the call.
    check(unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), sets.as_ptr()) as i32 })?;
    Ok(())
}

fn check(result: i32) -> io::Result<()> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walls_survive_the_trip_through_an_argument() {
        for number in 0..8u8 {
            let bit = |n: u8| number & (1 << n) != 0;
            let walls = Walls { chroot: bit(0), landlock: bit(1), seccomp: bit(2) };
            assert_eq!(Walls::from_arg(&walls.to_arg()), Some(walls));
        }
        assert_eq!(Walls::from_arg(OsStr::new("seccomp,moat")), None);
    }
}
