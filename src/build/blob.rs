//! Code that somebody else has compiled, in files and in libraries: as it is, or in archives, or
//! in archives in archives.
//!
//! A file may be anything and may be made to be looked through for ever: what is unpacked, and
//! what is read for that, are bounded together. Only what common tools pack is unpacked. Whoever
//! encodes code in a way of his own is not found here; the bound on what a library may hold more
//! than the reference is what he meets.

use std::io::Read;

use bzip2::read::BzDecoder;
use flate2::read::{DeflateDecoder, GzDecoder};
use lzma_rust2::XzReader;
use ruzstd::decoding::StreamingDecoder;

/// Archives in each other.
const DEPTH: usize = 6;
/// Bytes that are read and written by unpacking, all archives of a file together.
const WORK: u64 = 256 << 20;
/// Archives of a file, or what looks like them.
const ARCHIVES: usize = 1000;
/// Memory of one unpacker, bytes.
const MEMORY: u64 = 64 << 20;

/// Says what compiled code lies in some bytes, if some does, or why that cannot be told.
pub fn foreign(bytes: &[u8]) -> Option<String> {
    Look { work: WORK, archives: ARCHIVES }.find(bytes, DEPTH)
}

/// The same of a file of a tree. A compiler takes a precompiled header in a header's place by its
/// name alone, and believes every byte of it.
pub fn foreign_file(name: &str, bytes: &[u8]) -> Option<String> {
    let precompiled = |part: &str| part.ends_with(".gch") || part.ends_with(".pch");
    if name.split('/').any(precompiled) {
        return Some("a precompiled header".to_owned());
    }
    foreign(bytes)
}

/// Formats that hold code, by what they begin with.
const CODE: [(&[u8], &str); 9] = [
    (b"\x7fELF\x02\x01\x01", "an ELF file"),
    (b"\x7fELF\x01\x01\x01", "an ELF file"),
    (b"\x7fELF\x02\x02\x01", "an ELF file"),
    (b"!<arch>\n", "an archive of objects (ar)"),
    (b"!<thin>\n", "an archive of objects (ar)"),
    (b"\0asm\x01\0\0\0", "a WebAssembly module"),
    (b"\xcf\xfa\xed\xfe\x07\0\0\x01", "a Mach-O file"),
    (b"\xcf\xfa\xed\xfe\x0c\0\0\x01", "a Mach-O file"),
    (b"BC\xc0\xde\x35\x14\0\0", "LLVM bitcode"),
];

/// Archives that nothing here unpacks.
const CLOSED: [(&[u8], &str); 2] = [
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive, which is not looked into"),
    (b"Rar!\x1a\x07", "a RAR archive, which is not looked into"),
];

/// Archives that are unpacked, by what they begin with. What tar and zip only store lies open.
const PACKED: [(&[u8], Packing); 5] = [
    (b"\x1f\x8b\x08", Packing::Gzip),
    (b"\xfd7zXZ\0", Packing::Xz),
    (b"BZh", Packing::Bzip2),
    (b"\x28\xb5\x2f\xfd", Packing::Zstd),
    (b"PK\x03\x04", Packing::Zip),
];

#[derive(Debug, Clone, Copy)]
enum Packing {
    Gzip,
    Xz,
    Bzip2,
    Zstd,
    Zip,
}

impl Packing {
    fn name(self) -> &'static str {
        match self {
            Packing::Gzip => "gzip",
            Packing::Xz => "xz",
            Packing::Bzip2 => "bzip2",
            Packing::Zstd => "zstd",
            Packing::Zip => "zip",
        }
    }

    /// Unpacks what starts here into `out`, at most `most` bytes, as far as it is whole: what
    /// comes before an error is looked at, too.
    fn unpack(self, from: &mut &[u8], most: u64, out: &mut Vec<u8>) {
        // An error only ends what there is.
        let mut read = |reader: &mut dyn Read| drop(reader.take(most).read_to_end(out));
        match self {
            Packing::Gzip => read(&mut GzDecoder::new(from)),
            Packing::Bzip2 => read(&mut BzDecoder::new(from)),
            Packing::Xz => {
                read(&mut XzReader::new_mem_limit(from, false, (MEMORY >> 10) as u32));
            }
            Packing::Zstd => {
                if let Ok(mut reader) = StreamingDecoder::new_with_max_window_size(from, MEMORY) {
                    read(&mut reader);
                }
            }
            Packing::Zip => {
                if let Some(start) = deflated(from) {
                    *from = &from[start..];
                    read(&mut DeflateDecoder::new(from));
                }
            }
        }
    }
}

/// Where the packed bytes of a zip entry start, if it is packed by deflation.
fn deflated(entry: &[u8]) -> Option<usize> {
    let half = |at: usize| Some(u16::from_le_bytes(entry.get(at..at + 2)?.try_into().ok()?));
    let start = 30 + usize::from(half(26)?) + usize::from(half(28)?);
    (half(8)? == 8 && start <= entry.len()).then_some(start)
}

struct Look {
    work: u64,
    archives: usize,
}

impl Look {
    fn find(&mut self, bytes: &[u8], depth: usize) -> Option<String> {
        for at in 0..bytes.len() {
            let rest = &bytes[at..];
            let begins = |(magic, _): &&(&[u8], _)| rest.starts_with(magic);
            if let Some((_, what)) = CODE.iter().chain(&CLOSED).find(begins) {
                return Some(format!("{what} at byte {at}"));
            }
            if is_windows(rest) {
                return Some(format!("a Windows program at byte {at}"));
            }
            let Some((_, packing)) = PACKED.iter().find(|(magic, _)| rest.starts_with(magic))
            else {
                continue;
            };
            let place = || format!("in a {} archive at byte {at}", packing.name());
            if let Some(found) = self.unpack(*packing, rest, depth) {
                return Some(format!("{found} {}", place()));
            }
        }
        None
    }

    fn unpack(&mut self, packing: Packing, packed: &[u8], depth: usize) -> Option<String> {
        if self.archives == 0 {
            return Some(format!("more than {ARCHIVES} archives, the last one"));
        }
        self.archives -= 1;
        let (mut from, mut out) = (packed, Vec::new());
        packing.unpack(&mut from, self.work, &mut out);
        let work = (packed.len() - from.len() + out.len()) as u64;
        if work >= self.work {
            return Some(format!("more than {} MiB, at last", WORK >> 20));
        }
        self.work -= work;
        if out.is_empty() {
            // Bytes that happened to look like an archive.
            return None;
        }
        if depth == 0 {
            return Some(format!("more than {DEPTH} archives in each other, the last one"));
        }
        self.find(&out, depth - 1)
    }
}

/// Whether a Windows program starts here: a DOS header that points at another one.
fn is_windows(bytes: &[u8]) -> bool {
    let Some(at) = bytes.get(60..64).filter(|_| bytes.starts_with(b"MZ")) else { return false };
    let at = u32::from_le_bytes(at.try_into().unwrap_or_default()) as usize;
    bytes.get(at..).is_some_and(|header| header.starts_with(b"PE\0\0"))
}

#[cfg(test)]
#[path = "blob_tests.rs"]
mod tests;
