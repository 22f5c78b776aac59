//! Objects to a library, one layout for each seed.

use object::read::archive::ArchiveFile;
use object::read::elf::{ElfFile64, FileHeader, Sym};
use object::{Endianness, archive, elf};

use super::BuildError;
use super::site::Site;
use super::toolchain::Toolchain;
use crate::sandbox::End;
use crate::task::Lang;
use crate::task::files::Files;

/// The version script: the contract, and nothing else.
const EXPORTS: &str = "exports.map";

/// What a link needs, laid out on a site.
pub(super) struct Linking<'a> {
    site: &'a Site,
    tools: &'a Toolchain,
    lang: Lang,
    name: &'a str,
    objects: Vec<String>,
    symbols: Vec<String>,
}

impl<'a> Linking<'a> {
    /// Brings the objects to the site.
    ///
    /// # Errors
    /// `BuildFailed` when no object defines a symbol of the contract for others to see.
    pub fn prepare(
        site: &'a Site,
        tools: &'a Toolchain,
        (lang, name): (Lang, &'a str),
        objects: &Files,
        symbols: &[String],
    ) -> Result<Linking<'a>, BuildError> {
        prepare_exports(site, lang, objects, symbols)?;
        let mut names: Vec<String> = objects.0.keys().cloned().collect();
        names.sort_by_key(|name| (name.len(), name.clone()));
        Ok(Linking { site, tools, lang, name, objects: names, symbols: symbols.to_vec() })
    }

    /// Links the layout that belongs to `seed`; the same seed gives the same bytes.
    pub fn link(&self, seed: u64) -> Result<Vec<u8>, BuildError> {
        let driver = match self.lang {
            Lang::C | Lang::Rust => &self.tools.cc,
            Lang::Cxx => self.tools.cxx.as_ref().unwrap_or(&self.tools.cc),
        };
        let done = self.site.run(&driver.path, &self.args(seed))?;
        if !done.success() {
            let log = String::from_utf8_lossy(&done.output);
            let end = match done.end {
                End::TimedOut => "the time for building is over",
                _ => "the link failed",
            };
            return Err(BuildError::failed(format!("{end}\n{}", log.trim_end())));
        }
        let library = self.site.take("library.so");
        library.map_err(|e| BuildError::failed(format!("the link left no library: {e}")))
    }

    fn args(&self, seed: u64) -> Vec<String> {
        let mut args = vec!["-shared".to_owned(), "-o".to_owned(), "../out/library.so".to_owned()];
        args.extend(self.objects.iter().map(|name| format!("../given/{name}")));
        if let Some(folder) = &self.tools.lld {
            args.push(format!("-B{}", folder.display()));
            args.push("-fuse-ld=lld".to_owned());
            args.push(format!("-Wl,--shuffle-sections=.text*={}", shuffle_seed(seed)));
            // Its threads count against the builder's process limit.
            args.push("-Wl,--threads=1".to_owned());
            // An object may ask for libraries of its own.
            args.push("-Wl,--no-dependent-libraries".to_owned());
        }
        if self.lang == Lang::Cxx {
            args.push("-static-libstdc++".to_owned());
        }
        args.extend([
            "-static-libgcc".to_owned(),
            "-Wl,--as-needed".to_owned(),
            "-lm".to_owned(),
            format!("-Wl,-soname,lib{}.so", self.name),
            format!("-Wl,--version-script=../given/{EXPORTS}"),
            // What is not defined here or in libc is an error; what is defined here is used here;
            // what comes from archives is not exported. (`gate::reach` relies on it, too.)
            "-Wl,-z,defs,-Bsymbolic".to_owned(),
            "-Wl,-z,relro,-z,now,-z,noexecstack".to_owned(),
            "-Wl,--gc-sections,--build-id=none".to_owned(),
        ]);
        match self.lang {
            Lang::C | Lang::Cxx => args.push("-Wl,--exclude-libs,ALL".to_owned()),
            // The library itself is an archive, of which only what is asked for is linked.
            Lang::Rust => args.extend(self.symbols.iter().map(|name| format!("-Wl,-u,{name}"))),
        }
        args
    }
}

/// Brings the objects and the version script to the site; returns the script's name.
///
/// # Errors
/// `BuildFailed` when no object defines a symbol of the contract for others to see.
pub(super) fn prepare_exports(
    site: &Site,
    lang: Lang,
    objects: &Files,
    symbols: &[String],
) -> Result<&'static str, BuildError> {
    let missing = missing(objects, symbols)?;
    if !missing.is_empty() {
        let plural = if missing.len() == 1 { "" } else { "s" };
        return Err(BuildError::failed(format!(
            "missing function{plural} of the contract: {} (each must be defined once, with \
             default visibility{})",
            missing.join(", "),
            match lang {
                Lang::C => "",
                Lang::Cxx => " and extern \"C\"",
                Lang::Rust => ", #[unsafe(no_mangle)] and extern \"C\"",
            },
        )));
    }
    let script = format!("{{ global: {}; local: *; }};\n", symbols.join("; "));
    site.give(objects)?;
    site.give(&Files([(EXPORTS.to_owned(), script.into_bytes())].into()))?;
    Ok(EXPORTS)
}

/// lld takes 32 bits, and gives two values a meaning: 0 draws at random, −1 reverses.
fn shuffle_seed(seed: u64) -> u32 {
    (seed % u64::from(u32::MAX - 1)) as u32 + 1
}

/// Symbols that no object defines for others to see. The objects come from a compiler that a
/// candidate fed: they may be anything.
fn missing(objects: &Files, symbols: &[String]) -> Result<Vec<String>, BuildError> {
    let mut left: Vec<&String> = symbols.iter().collect();
    for (name, bytes) in &objects.0 {
        let failed = |error: object::Error| BuildError::failed(format!("{name}: {error}"));
        for object in members(bytes).map_err(failed)? {
            let defined = defined(object).map_err(failed)?;
            left.retain(|symbol| !defined.contains(&symbol.as_bytes()));
        }
    }
    Ok(left.into_iter().cloned().collect())
}

/// The object files of an archive; an object is its own only one.
pub(super) fn members(bytes: &[u8]) -> object::Result<Vec<&[u8]>> {
    if !bytes.starts_with(&archive::MAGIC) {
        return Ok(vec![bytes]);
    }
    let archive = ArchiveFile::parse(bytes)?;
    let mut members = Vec::new();
    for member in archive.members() {
        let bytes = member?.data(bytes)?;
        // Beside them are an index, and Rust's own description of a crate.
        members.extend(bytes.starts_with(&elf::ELFMAG).then_some(bytes));
    }
    Ok(members)
}

fn defined(bytes: &[u8]) -> object::Result<Vec<&[u8]>> {
    let file = ElfFile64::<Endianness>::parse(bytes)?;
    let endian = file.elf_header().endian()?;
    let symbols = file.elf_symbol_table();
    let mut names = Vec::new();
    for symbol in symbols.iter() {
        let bound = symbol.st_bind() == elf::STB_GLOBAL || symbol.st_bind() == elf::STB_WEAK;
        let seen = matches!(symbol.st_visibility(), elf::STV_DEFAULT | elf::STV_PROTECTED);
        if bound && seen && !symbol.is_undefined(endian) {
            names.push(symbol.name(endian, symbols.strings())?);
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_avoid_the_linkers_special_values() {
        for seed in [0, 1, u64::from(u32::MAX) - 2, u64::from(u32::MAX) - 1, u64::MAX] {
            let mapped = shuffle_seed(seed);
            assert!(mapped != 0 && mapped != u32::MAX, "{seed} -> {mapped}");
        }
        assert_ne!(shuffle_seed(1), shuffle_seed(2));
    }

    #[test]
    fn an_object_that_is_none_is_the_candidates_fault() {
        let objects = Files([("0.o".to_owned(), b"\x7fELF nonsense".to_vec())].into());
        assert!(matches!(missing(&objects, &["f".to_owned()]), Err(BuildError::Candidate { .. })));
    }
}
