//! Where a worker has its library: what a breakpoint from outside needs to know.

use std::fs;
use std::io;

use speedgate_harness::confine::LIBRARY_NAME;

use super::arena::MEMORY_LIBRARY;
use super::lifecycle::Worker;

impl Worker {
    /// Address of the first byte of the library's file in the worker's memory.
    ///
    /// # Errors
    /// When its map can't be read, or shows no library.
    pub fn library_base(&self) -> io::Result<u64> {
        let maps = fs::read_to_string(format!("/proc/{}/maps", self.pid()))?;
        base(&maps).ok_or_else(|| io::Error::other("the worker's map shows no library"))
    }
}

/// The lowest mapping of the library's file from its beginning. Lines are `begin-end access offset
/// device inode path`, and the path may be that of a file that is gone.
fn base(maps: &str) -> Option<u64> {
    let begin = |line: &str| -> Option<u64> {
        let mut fields = line.split_ascii_whitespace();
        let range = fields.next()?;
        let offset = u64::from_str_radix(fields.nth(1)?, 16).ok()?;
        let path = fields.nth(2)?;
        let ours = path.ends_with(&format!("/{LIBRARY_NAME}"))
            || path.ends_with(&format!(":{MEMORY_LIBRARY}"));
        let (begin, _) = range.split_once('-')?;
        (ours && offset == 0).then(|| u64::from_str_radix(begin, 16).ok())?
    };
    maps.lines().filter_map(begin).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_found_by_its_name() {
        let maps = "\
            55d0c8000000-55d0c8100000 r--p 00000000 fe:00 12 /usr/bin/speedgate\n\
            7f0000001000-7f0000002000 r-xp 00001000 00:19 7 /a/cell/library.so (deleted)\n\
            7f0000000000-7f0000001000 r--p 00000000 00:19 7 /a/cell/library.so (deleted)\n\
            7f0000100000-7f0000200000 rw-s 00000000 00:01 9 /memfd:speedgate-arena (deleted)\n\
            7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0 [stack]\n";
        assert_eq!(base(maps), Some(0x7f00_0000_0000));
        let memory = "7f1000-7f2000 r--p 00000000 00:01 9 /memfd:speedgate-library (deleted)\n";
        assert_eq!(base(memory), Some(0x7f_1000));
        assert_eq!(base("7f1000-7f2000 r--p 00000000 00:01 9 /lib/otherlibrary.so\nx"), None);
        assert_eq!(base(""), None);
    }
}
