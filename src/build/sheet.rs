//! What a library does and holds before anything in it is called, beside what the reference's does.

use std::ops::AddAssign;

use object::read::elf::{ElfFile64, FileHeader, ProgramHeader, SectionHeader};
use object::{Endianness, Object, RelocationFlags, elf};

use super::blob;
use super::link::members;
use crate::task::files::Files;
use crate::task::{Permit, Task};

/// A library in figures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sheet {
    /// Functions that run when it is loaded or unloaded, those of the system's start files and of
    /// archives of the compiler left out: they are counted in what was compiled.
    pub constructors: u64,
    /// Functions that are chosen when it is loaded, by code that runs then.
    pub ifuncs: u64,
    /// Bytes that it takes in memory once loaded: code, constants, variables, those of a thread too.
    pub loaded: u64,
}

/// Sections whose content is code that runs at load or unload.
const START_CODE: [&[u8]; 2] = [b".init", b".fini"];
/// Older names of the lists of functions that run then.
const START_LISTS: [&[u8]; 2] = [b".ctors", b".dtors"];

impl Sheet {
    /// Of a library and the objects it was linked from. Garbage is an error, and no panic.
    ///
    /// # Errors
    /// When one of them is no ELF file.
    pub fn of(objects: &Files, library: &[u8]) -> object::Result<Sheet> {
        Sheet::of_objects(objects)?.and_of(library)
    }

    /// What the objects alone tell: the same for all layouts.
    pub(super) fn of_objects(objects: &Files) -> object::Result<Sheet> {
        let mut sheet = Sheet::default();
        for bytes in objects.0.values() {
            for object in members(bytes)? {
                sheet += Sheet::of_object(object)?;
            }
        }
        Ok(sheet)
    }

    /// With what a library tells that was linked from them.
    pub(super) fn and_of(self, library: &[u8]) -> object::Result<Sheet> {
        let mut sheet = self;
        let file = ElfFile64::<Endianness>::parse(library)?;
        let endian = file.elf_header().endian()?;
        for segment in file.elf_program_headers() {
            let bytes = match segment.p_type(endian) {
                elf::PT_LOAD => segment.p_memsz(endian),
                // What a thread's variables begin with is loaded with the rest; zeros are not.
                elf::PT_TLS => segment.p_memsz(endian).saturating_sub(segment.p_filesz(endian)),
                _ => 0,
            };
            sheet.loaded = sheet.loaded.saturating_add(bytes);
        }
        // One that no symbol told of can still be asked for by a relocation.
        let relocations = file.dynamic_relocations().into_iter().flatten();
        let chosen = relocations.filter(|(_, r)| match r.flags() {
            RelocationFlags::Elf { r_type } => {
                matches!(r_type, elf::R_X86_64_IRELATIVE | elf::R_AARCH64_IRELATIVE)
            }
            _ => false,
        });
        sheet.ifuncs = sheet.ifuncs.max(chosen.count() as u64);
        Ok(sheet)
    }

    /// Constructors and IFUNCs of one object.
    fn of_object(bytes: &[u8]) -> object::Result<Sheet> {
        let file = ElfFile64::<Endianness>::parse(bytes)?;
        let endian = file.elf_header().endian()?;
        let mut sheet = Sheet::default();
        let sections = file.elf_section_table();
        for section in sections.iter() {
            let name = sections.section_name(endian, section)?;
            let lists = matches!(
                section.sh_type(endian),
                elf::SHT_INIT_ARRAY | elf::SHT_FINI_ARRAY | elf::SHT_PREINIT_ARRAY
            ) || START_LISTS.iter().any(|list| name.starts_with(list));
            if lists || START_CODE.contains(&name) {
                // Addresses of 8 bytes; of code, at least one function.
                let functions = section.sh_size(endian).div_ceil(8);
                sheet.constructors = sheet.constructors.saturating_add(functions);
            }
        }
        let symbols = file.elf_symbol_table();
        let ifunc = |symbol: &&elf::Sym64<Endianness>| symbol.st_type() == elf::STT_GNU_IFUNC;
        sheet.ifuncs = symbols.iter().filter(ifunc).count() as u64;
        Ok(sheet)
    }

    /// Accepts a library with this sheet beside the reference's. Otherwise says why not.
    pub(super) fn compare(&self, reference: &Sheet, task: &Task) -> Result<(), String> {
        let permits = |permit| task.build.permit.contains(&permit);
        let more = |ours: u64, theirs: u64, permit, what: &str, way: &str| {
            if ours <= theirs || permits(permit) {
                return Ok(());
            }
            Err(format!(
                "{ours} {what}, the reference has {theirs}: this task does not permit more \
                 (`permit` of its [build]); {way}"
            ))
        };
        more(
            self.constructors,
            reference.constructors,
            Permit::Constructors,
            "functions that run when the library is loaded or unloaded",
            "do that work at compile time, or at the first call",
        )?;
        more(
            self.ifuncs,
            reference.ifuncs,
            Permit::Ifunc,
            "functions that are chosen when the library is loaded (IFUNC)",
            "choose at the call, with __builtin_cpu_supports",
        )?;
        let growth = self.loaded.saturating_sub(reference.loaded);
        if growth > task.limits.growth_mb << 20 {
            return Err(format!(
                "it takes {:.1} MiB more than the reference once loaded, code, constants and \
                 variables together; this task allows {} (`growth_mb` of its [limits])",
                growth as f64 / f64::from(1 << 20),
                task.limits.growth_mb
            ));
        }
        Ok(())
    }
}

impl AddAssign for Sheet {
    fn add_assign(&mut self, other: Sheet) {
        self.constructors = self.constructors.saturating_add(other.constructors);
        self.ifuncs = self.ifuncs.saturating_add(other.ifuncs);
        self.loaded = self.loaded.saturating_add(other.loaded);
    }
}

/// Accepts a library in which, beside itself, no compiled code lies, in whatever way a source has
/// spelled it.
pub(super) fn holds_no_other(library: &[u8]) -> Result<(), String> {
    match blob::foreign(library.get(1..).unwrap_or_default()) {
        Some(what) => Err(format!("it holds {what} of its own bytes after the first")),
        None => Ok(()),
    }
}
