//! The author's own solution of a step: files, or a recipe that takes them from upstream.
//!
//! ```toml
//! # baselines/<task>/<step>/solution.toml
//! take = [
//!   { from = "simdutf.cpp", sections = ["src/haswell/*"] },   # as stripped, but for these sections
//!   { from = "arch/fast.c" },                                 # the whole file
//! ]
//! prepend = { "simdutf.cpp" = "#define SOMETHING 1\n" }       # put before the first line
//! ```
//! Other files in the folder go on top. All of it must be editable, so that a solution can be
//! written as an ordinary workspace and builds the same there; hence no flags.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use miette::{NamedSource, SourceSpan};
use serde::Deserialize;
use toml::Spanned;

use crate::task::cache::Cache;
use crate::task::files::{Files, globs};
use crate::task::source::{self, SourceError};
use crate::task::strip::{StripError, mentions, strip};
use crate::task::{Strip, Task};

/// Why a step's solution cannot be put together.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum SolutionError {
    /// The author has not written one.
    #[error("step {step} has no reference solution: {path} is not there")]
    #[diagnostic(help("put the editable files of the solution there, or a solution.toml"))]
    None {
        /// Identifier of the step.
        step: String,
        /// Where it was looked for.
        path: PathBuf,
    },
    /// A workspace could not hold it.
    #[error("the solution changes {file}, which is not editable")]
    #[diagnostic(help("add it to `editable` in task.toml, or leave it alone"))]
    NotEditable {
        /// File inside the tree.
        file: String,
    },
    /// The recipe is wrong.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Recipe(#[from] Box<RecipeError>),
    /// No upstream to take from.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Source(#[from] SourceError),
    /// The rules of `strip` do not fit.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Strip(#[from] StripError),
    /// A glob of the task that is none.
    #[error("task.toml: {0}")]
    Glob(#[from] globset::Error),
}

/// What is wrong in a `solution.toml`, and where.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("{message}")]
pub struct RecipeError {
    message: String,
    #[source_code]
    text: NamedSource<String>,
    #[label("here")]
    span: Option<SourceSpan>,
    #[help]
    help: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Recipe {
    #[serde(default)]
    take: Vec<Take>,
    #[serde(default)]
    prepend: BTreeMap<Spanned<String>, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Take {
    from: Spanned<String>,
    #[serde(default)]
    sections: Vec<Spanned<String>>,
}

const RECIPE: &str = "solution.toml";

/// The pristine tree with the solution of a step in it.
pub(super) fn solution(task: &Task, step: usize, cache: &Cache) -> Result<Files, SolutionError> {
    let id = task.steps.get(step).map_or("?", |step| step.id.as_str());
    let folder = task.baselines().join(id);
    if !folder.is_dir() {
        return Err(SolutionError::None { step: id.to_owned(), path: folder });
    }
    let own = Files::read(&folder);
    let mut own =
        own.map_err(|source| SourceError::Io { what: folder.display().to_string(), source })?;
    let mut changed = Files::default();
    if let Some(text) = own.0.remove(RECIPE) {
        let path = folder.join(RECIPE);
        changed = cook(task, &path, &String::from_utf8_lossy(&text), cache)?;
    }
    changed.0.append(&mut own.0);
    let editable = globs(&task.build.editable)?;
    if let Some(file) = changed.0.keys().find(|file| !editable.is_match(file)) {
        return Err(SolutionError::NotEditable { file: file.clone() });
    }
    let mut files = source::pristine(task, cache)?;
    files.0.append(&mut changed.0);
    Ok(files)
}

/// The files that a recipe makes.
fn cook(task: &Task, path: &Path, text: &str, cache: &Cache) -> Result<Files, SolutionError> {
    let error = |message: String, span: Option<std::ops::Range<usize>>, help: Option<&str>| {
        let text = NamedSource::new(path.display().to_string(), text.to_owned());
        let (span, help) = (span.map(SourceSpan::from), help.map(str::to_owned));
        SolutionError::Recipe(Box::new(RecipeError { message, text, span, help }))
    };
    let recipe: Recipe = toml::from_str(text).map_err(|e| {
        let help = "a recipe has `take` and `prepend`; compiler flags have no place in a \
                    workspace, so use `prepend` with a #define or #pragma";
        error(e.message().to_owned(), e.span(), Some(help))
    })?;
    let upstream = source::upstream(task, cache)?;
    let mut made = Files::default();
    for take in &recipe.take {
        let name = take.from.get_ref();
        let Some(bytes) = upstream.0.get(name) else {
            let message = format!("the source has no file {name}");
            return Err(error(message, Some(take.from.span()), None));
        };
        let mut file = Files([(name.clone(), bytes.clone())].into());
        if !take.sections.is_empty() {
            let known = |line: &str, section: &Spanned<String>| mentions(line, section.get_ref());
            let text = String::from_utf8_lossy(bytes);
            if let Some(stale) = take.sections.iter().find(|s| !text.lines().any(|l| known(l, s))) {
                let message = format!("{name} has no section like {}", stale.get_ref());
                return Err(error(message, Some(stale.span()), None));
            }
            let rules: Vec<Strip> =
                task.source.strip.iter().filter(|rule| cuts(rule, name)).cloned().collect();
            strip(&mut file, &rules, &|line| take.sections.iter().any(|s| known(line, s)))?;
        }
        made.0.append(&mut file.0);
    }
    for (name, head) in &recipe.prepend {
        let Some(file) = made.0.get_mut(name.get_ref()) else {
            let message = format!("nothing is taken from {}", name.get_ref());
            return Err(error(
                message,
                Some(name.span()),
                Some("prepend to a file that `take` names"),
            ));
        };
        file.splice(0..0, head.bytes());
    }
    Ok(made)
}

/// Whether a rule cuts sections from this file.
fn cuts(rule: &Strip, name: &str) -> bool {
    matches!(rule, Strip::Section { file, .. } if file == name)
}
