//! `[source]`.

use std::path::{Component, Path};

use toml::Spanned;

use super::raw::{PartTable, SourceTable};
use super::report::Report;
use super::value::strings;
use crate::task::model::{Origin, Part, Registry, Source, Strip};

pub(super) fn source(
    dir: &Path,
    table: &Spanned<SourceTable>,
    report: &mut Report,
) -> Option<Source> {
    let (at, table) = (table.span(), table.get_ref());
    let origin = origin(dir, at, table, report);
    let root = match &table.root {
        None => Some(".".to_owned()),
        Some(root) if root.get_ref() == "." => Some(".".to_owned()),
        Some(root) => relative(root, report).map(str::to_owned),
    };
    let strip = table.strip.iter().map(|s| strip(s, report)).collect::<Option<Vec<Strip>>>();
    let shim = match &table.shim {
        None => Some(Vec::new()),
        Some(shim) => strings(shim, report).and_then(|files| {
            files.iter().map(|f| file(dir, f, report)).collect::<Option<Vec<String>>>()
        }),
    };
    let into = match &table.into {
        None => Some(".".to_owned()),
        Some(into) => relative(into, report).map(str::to_owned),
    };
    let also = table.also.iter().map(|part| self::part(part, report)).collect::<Vec<_>>();
    if let (
        Some(part),
        Some(Origin::Tree(_) | Origin::Package { registry: Registry::Pypi | Registry::Debian, .. }),
    ) = (table.also.first(), &origin)
    {
        let help = "a library of several packages has them all from crates.io";
        report.note(part.krate.span(), "`also` goes with `crate`", help);
    }
    let overlay = match &table.overlay {
        None => Some(None),
        Some(path) => {
            folder(dir, path, "paths are relative to the folder of task.toml", report).map(Some)
        }
    };
    Some(Source {
        origin: origin?,
        root: root?,
        into: into?,
        also: also.into_iter().collect::<Option<Vec<Part>>>()?,
        strip: strip?,
        shim: shim?,
        overlay: overlay?,
        own: Vec::new(),
    })
}

fn part(table: &PartTable, report: &mut Report) -> Option<Part> {
    let name = package_name(&table.krate, report);
    let version = version(&table.version, report);
    let sha256 = hash(&table.sha256, report);
    let root = match &table.root {
        None => Some("."),
        Some(root) => relative(root, report),
    };
    let into = relative(&table.into, report)?.to_owned();
    Some(Part { name: name?, version: version?, sha256: sha256?, root: root?.to_owned(), into })
}

/// A folder of the task; `help` is what to do where there is none.
pub(super) fn folder(
    dir: &Path,
    path: &Spanned<String>,
    help: &'static str,
    report: &mut Report,
) -> Option<String> {
    let text = relative(path, report)?;
    match dir.join(text).is_dir() {
        true => Some(text.to_owned()),
        false => report.bad(path.span(), format!("there is no folder `{text}` in the task"), help),
    }
}

fn origin(
    dir: &Path,
    at: std::ops::Range<usize>,
    table: &SourceTable,
    report: &mut Report,
) -> Option<Origin> {
    let packages = [
        (&table.krate, Registry::Crate),
        (&table.pypi, Registry::Pypi),
        (&table.debian, Registry::Debian),
    ];
    let mut packages = packages.into_iter().filter_map(|(name, r)| Some((name.as_ref()?, r)));
    let place =
        "say where the library is: tree = \"src\", or crate = \"name\" with version and sha256";
    match (&table.tree, packages.next(), packages.next()) {
        (Some(tree), None, _) => {
            for (key, value) in [("version", &table.version), ("sha256", &table.sha256)] {
                if let Some(value) = value {
                    let help = "leave it out: a tree is part of the task";
                    report.note(value.span(), format!("a tree has no `{key}`"), help);
                }
            }
            folder(dir, tree, place, report).map(Origin::Tree)
        }
        (None, Some((name, registry)), None) => {
            let name = package_name(name, report);
            let version = match &table.version {
                None => report.bad(
                    at.clone(),
                    "the package has no version",
                    "pin it: version = \"1.2.3\"",
                ),
                Some(v) => version(v, report),
            };
            let sha256 = match &table.sha256 {
                None => {
                    report.bad(at, "the package has no sha256", "add the hash of the package file")
                }
                Some(h) => hash(h, report),
            };
            Some(Origin::Package { registry, name: name?, version: version?, sha256: sha256? })
        }
        (None, None, _) => report.bad(at, "the library has no source", place),
        _ => report.bad(
            at,
            "the library has more than one source",
            "keep one of tree, crate, pypi, debian",
        ),
    }
}

fn package_name(name: &Spanned<String>, report: &mut Report) -> Option<String> {
    let fine = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
    let text = name.get_ref();
    match text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(fine) {
        true => Some(text.clone()),
        false => {
            report.bad(name.span(), "this is no package name", "letters, digits, `-`, `_`, `.`")
        }
    }
}

fn version(version: &Spanned<String>, report: &mut Report) -> Option<String> {
    match exact_version(version.get_ref()) {
        true => Some(version.get_ref().clone()),
        false => {
            report.bad(version.span(), "this is no exact version", "pin one, such as \"1.2.3\"")
        }
    }
}

fn hash(hash: &Spanned<String>, report: &mut Report) -> Option<String> {
    let text = hash.get_ref();
    match text.len() == 64 && text.chars().all(|c| c.is_ascii_hexdigit()) {
        true => Some(text.to_ascii_lowercase()),
        false => {
            report.bad(hash.span(), "this is no sha256", "64 hexadecimal digits (sha256sum FILE)")
        }
    }
}

/// Versions as registries write them, without any operator of a range.
fn exact_version(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || ".+-~:".contains(c))
}

fn strip(table: &Spanned<super::raw::StripTable>, report: &mut Report) -> Option<Strip> {
    let t = table.get_ref();
    match (&t.files, &t.file, &t.from, &t.to) {
        (Some(files), None, None, None) => Some(Strip::Files(super::build::glob(files, report)?)),
        (None, Some(file), Some(from), Some(to)) => {
            let file = relative(file, report)?.to_owned();
            let stars = |s: &Spanned<String>| s.get_ref().matches('*').count();
            // `/*` of a C comment is a star too: it matches itself, so counting them is enough.
            if stars(to) > stars(from) {
                let help = "each `*` in `to` stands for what the one in `from` matched";
                return report.bad(to.span(), "`to` has more `*` than `from`", help);
            }
            let (from, to) = (from.get_ref().clone(), to.get_ref().clone());
            Some(Strip::Section { file, from, to })
        }
        _ => report.bad(
            table.span(),
            "this says neither which files nor which sections",
            "write { files = \"glob\" } or { file = \"f.cpp\", from = \"first line\", to = \"last line\" }",
        ),
    }
}

/// A path that stays inside the folder it is relative to.
pub(super) fn relative<'a>(path: &'a Spanned<String>, report: &mut Report) -> Option<&'a str> {
    let text = path.get_ref();
    let inside = Path::new(text).components().all(|c| matches!(c, Component::Normal(_)));
    match inside && !text.is_empty() {
        true => Some(text),
        false => report.bad(
            path.span(),
            format!("`{text}` leaves the folder it belongs to"),
            "write a relative path without `.` and `..`",
        ),
    }
}

/// A file of the task.
pub(super) fn file(dir: &Path, path: &Spanned<String>, report: &mut Report) -> Option<String> {
    let text = relative(path, report)?;
    match dir.join(text).is_file() {
        true => Some(text.to_owned()),
        false => report.bad(
            path.span(),
            format!("there is no file `{text}` in the task"),
            "paths are relative to the folder of task.toml",
        ),
    }
}
