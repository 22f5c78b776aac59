//! A look at what was compiled, and at the finished library before anybody loads it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use object::read::elf::{ElfFile64, FileHeader, ProgramHeader, Sym};
use object::{Endianness, elf};

/// The libraries that one may need: libc, its mathematics, and the loader.
const NEEDED: [&str; 4] =
    ["libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"];

/// Dynamic entries that bring in other code or change how this one is loaded.
const FORBIDDEN: [(elf::DynamicTag, &str); 9] = [
    (elf::DT_RPATH, "an RPATH"),
    (elf::DT_RUNPATH, "a RUNPATH"),
    (elf::DT_TEXTREL, "relocations of its code (TEXTREL)"),
    (elf::DT_AUDIT, "an audit library"),
    (elf::DT_DEPAUDIT, "an audit library"),
    (elf::DT_FILTER, "a filter library"),
    (elf::DT_AUXILIARY, "an auxiliary library"),
    (elf::DT_PREINIT_ARRAY, "a pre-initialisation array"),
    (elf::DT_VERDEF, "versions of its symbols"),
];

/// Accepts a compiler's list of the files that it has read (a rule for `make`) if each `may` be
/// read. Otherwise says which may not.
///
/// # Errors
/// In words, which may not.
pub fn sources(list: &[u8], may: impl Fn(&Path) -> bool) -> Result<(), String> {
    let colon = list.windows(2).position(|w| w[0] == b':' && w[1].is_ascii_whitespace());
    let files = &list[colon.map_or(list.len(), |at| at + 1)..];
    for name in names(files) {
        if !may(Path::new(OsStr::from_bytes(&name))) {
            let name = String::from_utf8_lossy(&name);
            return Err(format!("it includes {name}, which is no file of its tree"));
        }
    }
    Ok(())
}

/// The words of a list in `make`'s spelling: a backslash joins lines and protects a space or `#`,
/// a dollar sign is doubled.
fn names(list: &[u8]) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    let mut bytes = list.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let next = bytes.peek().copied();
        let word = all.last_mut().expect("never empty");
        match (byte, next) {
            (b'\\', Some(b'\n')) => {}
            (b'\\', Some(b' ' | b'#' | b'\t')) | (b'$', Some(b'$')) => word.extend(bytes.next()),
            (byte, _) if byte.is_ascii_whitespace() => all.push(Vec::new()),
            (byte, _) => word.push(byte),
        }
    }
    all.retain(|word| !word.is_empty());
    all
}

/// Accepts a library that exports exactly `symbols`, all of them functions, needs nothing but
/// libc, and has no page both writable and executable. Otherwise says what is wrong with it.
///
/// # Errors
/// In words, what is wrong with it.
pub fn audit(library: &[u8], symbols: &[String]) -> Result<(), String> {
    inspect(library, symbols).unwrap_or_else(|error| Err(format!("no valid ELF file: {error}")))
}

fn inspect(library: &[u8], symbols: &[String]) -> object::Result<Result<(), String>> {
    let file = ElfFile64::<Endianness>::parse(library)?;
    let endian = file.elf_header().endian()?;
    if let Err(reason) = segments(&file, endian) {
        return Ok(Err(reason));
    }
    if let Err(reason) = dynamic(&file)? {
        return Ok(Err(reason));
    }
    exports(&file, endian, symbols)
}

type Elf<'a> = ElfFile64<'a, Endianness>;

fn segments(file: &Elf, endian: Endianness) -> Result<(), String> {
    let mut stack = false;
    for segment in file.elf_program_headers() {
        let (kind, flags) = (segment.p_type(endian), segment.p_flags(endian));
        let (write, execute) = (flags.contains(elf::PF_W), flags.contains(elf::PF_X));
        match kind {
            elf::PT_INTERP => return Err("names an interpreter".to_owned()),
            elf::PT_GNU_STACK if execute => return Err("asks for an executable stack".to_owned()),
            elf::PT_GNU_STACK => stack = true,
            elf::PT_LOAD if write && execute => {
                return Err("has a segment both writable and executable".to_owned());
            }
            _ => {}
        }
    }
    // Without the header the loader makes the stack executable.
    if stack { Ok(()) } else { Err("asks for an executable stack".to_owned()) }
}

fn dynamic(file: &Elf) -> object::Result<Result<(), String>> {
    let table = file.elf_dynamic_table()?;
    if table.is_empty() {
        return Ok(Err("has no dynamic section".to_owned()));
    }
    for entry in &table {
        if let Some((_, what)) = FORBIDDEN.iter().find(|(forbidden, _)| *forbidden == entry.tag) {
            return Ok(Err(format!("has {what}")));
        }
        if entry.tag == elf::DT_FLAGS && entry.val & elf::DF_TEXTREL.0 != 0 {
            return Ok(Err("has relocations of its code (TEXTREL)".to_owned()));
        }
        if entry.tag == elf::DT_NEEDED {
            let name = String::from_utf8_lossy(table.string(entry)?);
            if !NEEDED.contains(&&*name) {
                return Ok(Err(format!("needs the library {name}")));
            }
        }
    }
    Ok(Ok(()))
}

fn exports(
    file: &Elf,
    endian: Endianness,
    symbols: &[String],
) -> object::Result<Result<(), String>> {
    let wanted: BTreeSet<&[u8]> = symbols.iter().map(|name| name.as_bytes()).collect();
    let mut exported = BTreeSet::new();
    let table = file.elf_dynamic_symbol_table();
    for symbol in table.iter().filter(|symbol| !symbol.is_undefined(endian)) {
        let name = symbol.name(endian, table.strings())?;
        if symbol.st_bind() == elf::STB_LOCAL || name.is_empty() {
            continue;
        }
        let shown = String::from_utf8_lossy(name);
        if !wanted.contains(name) {
            return Ok(Err(format!("exports {shown}, which is not in the contract")));
        }
        if symbol.st_bind() == elf::STB_GNU_UNIQUE {
            return Ok(Err(format!("exports {shown} as unique in the process")));
        }
        if !matches!(symbol.st_type(), elf::STT_FUNC | elf::STT_GNU_IFUNC) {
            return Ok(Err(format!("exports {shown}, but not as a function")));
        }
        if !in_code(file, endian, symbol.st_value(endian)) {
            return Ok(Err(format!("exports {shown}, but not from its code")));
        }
        if !exported.insert(name) {
            return Ok(Err(format!("exports {shown} twice")));
        }
    }
    Ok(match wanted.difference(&exported).next() {
        Some(name) => Err(format!("does not export {}", String::from_utf8_lossy(name))),
        None => Ok(()),
    })
}

/// Whether an address lies in what is mapped executable.
fn in_code(file: &Elf, endian: Endianness, address: u64) -> bool {
    file.elf_program_headers().iter().any(|segment| {
        segment.p_type(endian) == elf::PT_LOAD
            && segment.p_flags(endian).contains(elf::PF_X)
            && address
                .checked_sub(segment.p_vaddr(endian))
                .is_some_and(|offset| offset < segment.p_filesz(endian))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where nothing hides a file, the compiler's own list tells of it.
    #[test]
    fn a_list_of_sources_is_held_against_what_may_be_read() {
        let inside = |path: &Path| path.is_relative();
        let honest = b"../out/0.o: ./fast.c \\\n include/toy.h odd\\ name\\#1.h\n";
        assert_eq!(sources(honest, inside), Ok(()));
        let known = [b"./fast.c".to_vec(), b"include/toy.h".to_vec(), b"odd name#1.h".to_vec()];
        assert_eq!(names(&honest[11..]), known);
        let hostile = b"../out/0.o: ./fast.c \\\n /root/answer.c\n";
        let reason = sources(hostile, inside).expect_err("outside");
        assert!(reason.contains("/root/answer.c"), "{reason}");
    }
}
