//! Sources to objects, with speedgate's own command lines.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::audit;
use super::site::Site;
use super::tamper;
use super::toolchain::{Tool, Toolchain};
use super::{BuildError, Progress};
use crate::sandbox::End;
use crate::task::files::{Files, globs};
use crate::task::{BuildSpec, Permit};

/// What we add to the task's flags, last, so that it wins. Both sides get the same.
///
/// * `-fPIC -fno-semantic-interposition`: a shared library whose functions may still be inlined
///   into each other; nothing can come between, since all but the contract is local.
/// * `-ffunction-sections -fdata-sections`: what the linker shuffles.
/// * `-falign-functions=64 -falign-loops=32`: where code happens to fall relative to cache lines
///   moves tight loops by tens of percent; this takes most of that away.
/// * `-fno-lto`: link-time optimisation would undo the sections.
/// * `-g0 -w`: nothing but code; and of messages, nothing but errors.
///
/// Visibility stays at its default: the version script decides what is exported, and a hidden
/// symbol could not be.
const COMMON: [&str; 10] = [
    "-fPIC",
    "-fno-semantic-interposition",
    "-ffunction-sections",
    "-fdata-sections",
    "-falign-functions=64",
    "-falign-loops=32",
    "-fno-lto",
    "-g0",
    "-w",
    "-fno-diagnostics-color",
];

/// Part of every cache key: raise it when what is made from the same inputs changes.
pub(super) const RULES: &str = "3";

/// A file to compile.
struct Unit<'a> {
    source: &'a str,
    number: usize,
    compiler: &'a Tool,
    /// What decides about the code.
    flags: Vec<String>,
}

/// Bytes of all objects together.
const OBJECTS: u64 = 512 << 20;

/// How many compilers work at once.
const WORKERS: usize = 2;

/// Compiles everything in `tree` that `sources` names; the objects are called `0.o`, `1.o`, … in
/// the order of the sources' names. `last` are flags that win over all others; what is measured has
/// none.
pub(super) fn compile(
    spec: &BuildSpec,
    tree: &Files,
    tools: &Toolchain,
    site: &Site,
    last: &[String],
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Files, BuildError> {
    let units = units(spec, tree, tools, last)?;
    let (next, done, size) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicU64::new(0));
    let failed: Mutex<Option<(usize, BuildError)>> = Mutex::new(None);
    progress(Progress::Compiling { done: 0, total: units.len() });
    let work = || {
        while let Some((number, unit)) = take(&units, &next) {
            let result = unit.make(site).and_then(|()| {
                let written = site.size(&format!("{number}.o"));
                let all = size.fetch_add(written, Ordering::Relaxed) + written;
                let too_large =
                    || BuildError::failed(format!("objects of more than {OBJECTS} bytes"));
                (all <= OBJECTS).then_some(()).ok_or_else(too_large)
            });
            if let Err(error) = result {
                let mut failed = failed.lock().unwrap_or_else(|e| e.into_inner());
                // Of several failures the first in order, so that the report is always the same.
                if failed.as_ref().is_none_or(|&(other, _)| number < other) {
                    *failed = Some((number, error));
                }
                next.store(units.len(), Ordering::Relaxed);
                return;
            }
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            progress(Progress::Compiling { done, total: units.len() });
        }
    };
    std::thread::scope(|scope| (0..WORKERS).for_each(|_| drop(scope.spawn(work))));
    if let Some((_, error)) = failed.into_inner().unwrap_or_else(|e| e.into_inner()) {
        return Err(error);
    }
    let mut objects = Files::default();
    for (number, unit) in units.iter().enumerate() {
        let name = format!("{number}.o");
        let bytes = site.take(&name);
        let bytes = bytes.map_err(|e| BuildError::failed(format!("{}: {e}", unit.source)))?;
        objects.0.insert(name, bytes);
        unit.examine(site, &spec.permit)?;
    }
    Ok(objects)
}

fn take<'u, 'a>(units: &'u [Unit<'a>], next: &AtomicUsize) -> Option<(usize, &'u Unit<'a>)> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    Some((number, units.get(number)?))
}

fn units<'a>(
    spec: &BuildSpec,
    tree: &'a Files,
    tools: &'a Toolchain,
    last: &[String],
) -> Result<Vec<Unit<'a>>, BuildError> {
    let sources = globs(&spec.sources)?;
    let mut overrides = Vec::new();
    for part in &spec.overrides {
        overrides.push((globs(&part.files)?, &part.flags));
    }
    let mut units = Vec::new();
    for source in tree.0.keys().filter(|name| sources.is_match(name)) {
        let Some(compiler) = compiler(source, tools)? else { continue };
        let number = units.len();
        let mut args = spec.flags.clone();
        for (files, flags) in &overrides {
            if files.is_match(source) {
                args.extend(flags.iter().cloned());
            }
        }
        let folders = spec.include.iter().map(String::as_str);
        for folder in
            folders.chain((!spec.include.iter().any(|f| f == "include")).then_some("include"))
        {
            args.push(format!("-I{folder}"));
        }
        args.extend(COMMON.map(str::to_owned));
        args.extend(last.iter().cloned());
        if !compiler.is_clang() {
            // One instance for a whole process is not ours to have; names of internal symbols
            // must not be drawn at random; a few errors say enough.
            args.extend(["-fno-gnu-unique", "-fmax-errors=20"].map(str::to_owned));
            args.push(format!("-frandom-seed={source}"));
        }
        units.push(Unit { source, number, compiler, flags: args });
    }
    if units.is_empty() {
        return Err(BuildError::failed("no file of the tree matches `sources`".to_owned()));
    }
    Ok(units)
}

/// Who compiles a file; nobody compiles a header.
fn compiler<'a>(source: &str, tools: &'a Toolchain) -> Result<Option<&'a Tool>, BuildError> {
    let (_, extension) = source.rsplit_once('.').unwrap_or((source, ""));
    match extension {
        "c" | "S" => Ok(Some(&tools.cc)),
        "cc" | "cpp" | "cxx" => match &tools.cxx {
            Some(cxx) => Ok(Some(cxx)),
            None => Err(BuildError::failed(format!("{source}: C++ in a library whose lang is c"))),
        },
        "s" | "asm" | "rs" => Err(BuildError::failed(format!(
            "{source}: cannot be compiled here (C, C++ and .S can)"
        ))),
        _ => Ok(None),
    }
}

impl Unit<'_> {
    /// An object, what it was made from, and what the compiler says of it.
    fn make(&self, site: &Site) -> Result<(), BuildError> {
        // "./": a name that starts with a dash or an at sign is still a file.
        let source = format!("./{}", self.source);
        let mut args = self.flags.clone();
        if self.is_c() {
            args.extend(["-E", "-o"].map(str::to_owned));
            args.extend([self.out("i"), source.clone()]);
            self.run(site, &args)?;
            args.truncate(self.flags.len());
        }
        if !self.compiler.is_clang() {
            args.push(format!("-Wa,--MD,{}", self.out("as.d")));
            args.push(format!("-fdump-tree-gimple-slim={}", self.out("functions")));
        }
        args.extend(["-MD", "-MF"].map(str::to_owned));
        args.extend([self.out("d"), "-c".to_owned(), source, "-o".to_owned(), self.out("o")]);
        self.run(site, &args)
    }

    /// Whether it has pragmas and attributes: assembly has none.
    fn is_c(&self) -> bool {
        !self.source.ends_with(".S")
    }

    fn out(&self, what: &str) -> String {
        format!("../out/{}.{what}", self.number)
    }

    /// Refuses what was compiled from files that are none of its business, and what has changed
    /// the task's flags.
    fn examine(&self, site: &Site, permits: &[Permit]) -> Result<(), BuildError> {
        let number = self.number;
        let take = |name: String| {
            site.take(&name).map_err(|e| BuildError::failed(format!("{}: {e}", self.source)))
        };
        let rejected = |log: String| BuildError::rejected(format!("{}: {log}", self.source));
        // What the assembler read (`.incbin`) is a list of its own; clang's keeps none. Where the
        // kernel hides other files there are none in either; elsewhere this is what stands before
        // the answers.
        let read = take(format!("{number}.d"))?;
        audit::sources(&read, |named| site.may_include(named)).map_err(rejected)?;
        if !self.compiler.is_clang() {
            let read = take(format!("{number}.as.d"))?;
            audit::sources(&read, |named| site.may_assemble(named)).map_err(rejected)?;
        }
        if self.is_c() {
            let findings = tamper::preprocessed(&take(format!("{number}.i"))?);
            tamper::refusal(&findings, permits)
                .map_or(Ok(()), |log| Err(BuildError::rejected(log)))?;
        }
        // Not there where a file has no function, or the compiler writes none.
        let list = format!("{number}.functions");
        if site.size(&list) > 0 {
            let findings = tamper::listed(&take(list)?);
            tamper::refusal(&findings, permits).map_or(Ok(()), |log| Err(rejected(log)))?;
        }
        Ok(())
    }

    fn run(&self, site: &Site, args: &[String]) -> Result<(), BuildError> {
        let done = site.run(&self.compiler.path, args)?;
        if done.success() {
            return Ok(());
        }
        let log = String::from_utf8_lossy(&done.output);
        let cut = if done.truncated { "\n[more was cut]" } else { "" };
        let end = match done.end {
            End::TimedOut => "the time for building is over".to_owned(),
            End::Signalled(signal) => format!("the compiler was ended by signal {signal}"),
            End::Exited(code) => format!("the compiler ended with code {code}"),
        };
        Err(BuildError::failed(format!("{}: {end}\n{}{cut}", self.source, log.trim_end())))
    }
}
