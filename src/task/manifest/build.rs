//! `[build]`.

use globset::GlobSet;
use toml::Spanned;

use super::raw::BuildTable;
use super::report::Report;
use super::source::relative;
use super::value::strings;
use crate::task::files::globs as globs_of;
use crate::task::flags;
use crate::task::model::{BuildSpec, FileFlags, Lang, Permit, Source};

/// Files that decide how something is built; editing one would be editing the build.
const BUILD_FILES: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    "build.rs",
    "rust-toolchain.toml",
    ".cargo/config.toml",
    "CMakeLists.txt",
    "Makefile",
    "GNUmakefile",
    "makefile",
    "configure",
    "meson.build",
];

pub(super) fn build(
    table: &Spanned<BuildTable>,
    source: Option<&Source>,
    report: &mut Report,
) -> Option<BuildSpec> {
    let table = table.get_ref();
    let langs = [("c", Lang::C), ("c++", Lang::Cxx), ("rust", Lang::Rust)];
    let lang = report.choice(&table.lang, &langs);
    let rust = lang == Some(Lang::Rust);
    let list = table.sources.iter().map(|sources| ("sources", sources));
    for (key, list) in list.chain([("editable", &table.editable)]) {
        if list.get_ref().is_empty() {
            report.note(list.span(), format!("`{key}` is empty"), "name at least one file or glob");
        }
    }
    let sources = match &table.sources {
        Some(sources) if rust => {
            let help = "leave it out: the manifests of the crates say what is compiled";
            report.bad(sources.span(), "a library in Rust has no `sources`", help)
        }
        Some(sources) => globs(sources.get_ref(), report),
        None if rust => Some(Vec::new()),
        None => report.bad(
            table.lang.span(),
            "`sources` is missing",
            "name the files to compile: sources = [\"*.c\"]",
        ),
    };
    if rust {
        let help = "leave it out: cargo sees to that, and code can choose instruction sets itself \
                    (`#[target_feature]` and run-time detection)";
        let include = table.include.iter().map(|p| (p.span(), "`include`"));
        let overrides = table.overrides.iter().map(|o| (o.files.span(), "`[[build.for]]`"));
        for (span, key) in include.chain(overrides) {
            report.note(span, format!("a library in Rust has no {key}"), help);
        }
    }
    let editable = globs(table.editable.get_ref(), report);
    let shim = source.map_or(&[][..], |s| &s.shim);
    for glob in table.editable.get_ref() {
        protect(glob, shim, report);
    }
    let flags = match rust {
        true => flag_list(&table.flags, flags::check_rust, report),
        false => flag_list(&table.flags, flags::check, report),
    };
    let include = table
        .include
        .iter()
        .map(|p| match p.get_ref().as_str() {
            "." => Some(".".to_owned()),
            _ => relative(p, report).map(str::to_owned),
        })
        .collect::<Option<Vec<String>>>();
    let mut overrides = Vec::new();
    for entry in &table.overrides {
        let files = strings(&entry.files, report).and_then(|f| globs(&f, report));
        let flags = flag_list(&entry.flags, flags::check, report);
        overrides.push(files.zip(flags).map(|(files, flags)| FileFlags { files, flags }));
    }
    let permits = Permit::ALL.map(|p| (p.name(), p));
    let permit: Vec<Option<Permit>> =
        table.permit.iter().map(|word| report.choice(word, &permits)).collect();
    Some(BuildSpec {
        lang: lang?,
        flags: flags?,
        sources: sources?,
        editable: editable?,
        include: include?,
        overrides: overrides.into_iter().collect::<Option<Vec<FileFlags>>>()?,
        permit: permit.into_iter().collect::<Option<Vec<Permit>>>()?,
    })
}

/// An editable glob may reach neither build files nor, unless it names it, a shim.
fn protect(glob: &Spanned<String>, shim: &[String], report: &mut Report) {
    let Ok(matcher) = compile(glob.get_ref()) else { return };
    if let Some(file) = BUILD_FILES.iter().find(|f| matcher.is_match(f)) {
        let message = format!("`{}` makes the build file `{file}` editable", glob.get_ref());
        report.note(glob.span(), message, "name the folders or endings of library code only");
    }
    for file in shim {
        let name = file.rsplit('/').next().unwrap_or(file);
        if glob.get_ref() != name && matcher.is_match(name) {
            let message = format!("`{}` makes the shim `{name}` editable", glob.get_ref());
            let help = "narrow the glob, or list the shim by its full name if that is meant";
            report.note(glob.span(), message, help);
        }
    }
}

fn globs(list: &[Spanned<String>], report: &mut Report) -> Option<Vec<String>> {
    let globs: Vec<Option<String>> = list.iter().map(|g| glob(g, report)).collect();
    globs.into_iter().collect()
}

/// A glob relative to the tree: `*` stays within a folder, `**` crosses folders.
pub(super) fn glob(glob: &Spanned<String>, report: &mut Report) -> Option<String> {
    relative(glob, report)?;
    match compile(glob.get_ref()) {
        Ok(_) => Some(glob.get_ref().clone()),
        Err(e) => report.bad(
            glob.span(),
            format!("this glob is not valid: {}", e.kind()),
            "write a path with `*`, `**`, `?` or `[…]`",
        ),
    }
}

fn compile(glob: &str) -> Result<GlobSet, globset::Error> {
    globs_of(&[glob.to_owned()])
}

fn flag_list(
    list: &[Spanned<String>],
    check: fn(&str) -> Result<(), String>,
    report: &mut Report,
) -> Option<Vec<String>> {
    let mut fine = Some(Vec::new());
    for flag in list {
        match check(flag.get_ref()) {
            Ok(()) => fine.iter_mut().for_each(|f| f.push(flag.get_ref().clone())),
            Err(why) => {
                let help = "flags say how code is generated; speedgate sets the rest itself";
                fine = report.bad(flag.span(), why, help);
            }
        }
    }
    fine
}
