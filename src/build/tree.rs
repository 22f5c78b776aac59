//! The tree that is built: the pristine one, plus the editable files of a workspace, and nothing
//! else of it.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use globset::GlobSet;

use super::blob;
use super::recipe::{self, SolutionError};
use super::rust::Workspace;
use super::walk::{Kind, Root};
use crate::task::cache::Cache;
use crate::task::files::{Files, globs};
use crate::task::source::{self, SourceError};
use crate::task::{Lang, Task};

/// What is laid over the pristine tree.
#[derive(Debug, Clone, Copy)]
pub enum Overlay<'a> {
    /// Nothing: the reference.
    Pristine,
    /// The editable files of this folder: a candidate.
    Workspace(&'a Path),
    /// The author's own solution of a step.
    Solution {
        /// Index into [`Task::steps`].
        step: usize,
    },
}

/// A tree ready to build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// Its files.
    pub files: Files,
    /// What the workspace holds (or lacks) beyond its editable files, with the reason; a long
    /// list ends in "and N more".
    pub ignored: Vec<String>,
}

/// Why there is no tree.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum TreeError {
    /// No pristine tree.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Source(#[from] SourceError),
    /// No solution.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Solution(#[from] SolutionError),
    /// The workspace is not there or may not be read.
    #[error("the workspace {path} cannot be read: {source}")]
    #[diagnostic(help("`speedgate workspace TASK --out DIR` writes one to start from"))]
    Workspace {
        /// The folder, or what in it.
        path: PathBuf,
        /// What the file system said.
        source: io::Error,
    },
    /// The workspace is beyond what any honest one holds.
    #[error("the workspace is too large: {what}")]
    TooLarge {
        /// Which bound, and where.
        what: String,
    },
    /// A file of the workspace is no source, and no data of one.
    #[error("{file} holds {what}")]
    #[diagnostic(help("a candidate is source code: take it out"))]
    Foreign {
        /// The file.
        file: String,
        /// What lies in it.
        what: String,
    },
    /// A glob of the task that is none.
    #[error("task.toml: {0}")]
    Glob(#[from] globset::Error),
}

/// Bounds on a workspace.
struct Bounds {
    /// Editable files.
    files: usize,
    /// Bytes of them together.
    bytes: u64,
    /// Folders below each other.
    depth: usize,
    /// Bytes of a path below the root.
    path: usize,
    /// Names of any kind that are looked at.
    names: usize,
    /// Lines of the list of what was ignored.
    ignored: usize,
}

const BOUNDS: Bounds =
    Bounds { files: 4096, bytes: 64 << 20, depth: 16, path: 1024, names: 100_000, ignored: 200 };

/// Makes the tree of `overlay`.
///
/// # Errors
/// See [`TreeError`].
pub fn assemble(task: &Task, overlay: Overlay, cache: &Cache) -> Result<Tree, TreeError> {
    match overlay {
        Overlay::Pristine => {
            Ok(Tree { files: source::pristine(task, cache)?, ignored: Vec::new() })
        }
        Overlay::Workspace(path) => {
            let pristine = source::pristine(task, cache)?;
            let rust = (task.build.lang == Lang::Rust).then(|| Workspace::read(&pristine).ok());
            overlay_workspace(&pristine, (&task.build.editable, rust.flatten()), path, &BOUNDS)
        }
        Overlay::Solution { step } => {
            Ok(Tree { files: recipe::solution(task, step, cache)?, ignored: Vec::new() })
        }
    }
}

fn overlay_workspace(
    pristine: &Files,
    (editable, rust): (&[String], Option<Workspace>),
    path: &Path,
    bounds: &Bounds,
) -> Result<Tree, TreeError> {
    let unreadable = |source| TreeError::Workspace { path: path.to_owned(), source };
    let mut walk = Walk {
        root: Root::open(path).map_err(unreadable)?,
        path,
        pristine,
        reach: editable.iter().map(|glob| Reach::of(glob)).collect(),
        editable: globs(editable)?,
        rust,
        bounds,
        found: Files::default(),
        bytes: 0,
        names: 0,
        seen: BTreeSet::new(),
        ignored: Vec::new(),
        more: 0,
    };
    walk.folder("", 0)?;
    Ok(walk.finish())
}

struct Walk<'a> {
    root: Root,
    path: &'a Path,
    pristine: &'a Files,
    editable: GlobSet,
    /// In Rust, what the manifests say: which files decide about the build, whatever a glob says.
    rust: Option<Workspace>,
    reach: Vec<Reach>,
    bounds: &'a Bounds,
    /// Editable files of the workspace.
    found: Files,
    bytes: u64,
    names: usize,
    /// Files of the pristine tree that are not editable and are there, changed or not.
    seen: BTreeSet<String>,
    ignored: Vec<String>,
    more: usize,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &str, depth: usize) -> Result<(), TreeError> {
        if depth > self.bounds.depth {
            let what = format!("{folder} lies more than {} folders deep", self.bounds.depth);
            return Err(TreeError::TooLarge { what });
        }
        for entry in self.root.list(folder).map_err(|e| self.unreadable(folder, e))? {
            self.names += 1;
            if self.names > self.bounds.names {
                let what = format!("more than {} names in it", self.bounds.names);
                return Err(TreeError::TooLarge { what });
            }
            let mut name = entry.name;
            if !folder.is_empty() {
                name = format!("{folder}/{name}");
            }
            if name.len() > self.bounds.path {
                let what = format!("a path in it is longer than {} bytes", self.bounds.path);
                return Err(TreeError::TooLarge { what });
            }
            match entry.kind {
                Kind::Odd(what) => self.ignore(format!("{name} ({what})")),
                Kind::Folder if self.enter(&name) => self.folder(&name, depth + 1)?,
                Kind::Folder => self.ignore(format!("{name}/ (not editable)")),
                Kind::File(_) if self.is_editable(&name) => self.take(name)?,
                Kind::File(size) => self.compare(&name, size)?,
            }
        }
        Ok(())
    }

    fn is_editable(&self, name: &str) -> bool {
        self.editable.is_match(name) && !self.rust.as_ref().is_some_and(|rust| rust.decides(name))
    }

    /// Whether a folder can hold anything of interest.
    fn enter(&self, folder: &str) -> bool {
        if folder == ".git" {
            return false;
        }
        let below = format!("{folder}/");
        let known = |files: &Files| {
            files.0.range(below.clone()..).next().is_some_and(|(name, _)| name.starts_with(&below))
        };
        known(self.pristine)
            || is_instructions(folder)
            || self.reach.iter().any(|reach| reach.reaches(&below))
    }

    fn take(&mut self, name: String) -> Result<(), TreeError> {
        if self.found.0.len() == self.bounds.files {
            let what = format!("more than {} editable files", self.bounds.files);
            return Err(TreeError::TooLarge { what });
        }
        let left = self.bounds.bytes - self.bytes;
        let bytes = self.root.read(&name, left).map_err(|e| self.unreadable(&name, e))?;
        let bytes = bytes.ok_or_else(|| TreeError::TooLarge {
            what: format!("more than {} MiB of editable files, at {name}", self.bounds.bytes >> 20),
        })?;
        self.bytes += bytes.len() as u64;
        if self.pristine.0.get(&name) != Some(&bytes)
            && let Some(what) = blob::foreign_file(&name, &bytes)
        {
            return Err(TreeError::Foreign { file: name, what });
        }
        self.found.0.insert(name, bytes);
        Ok(())
    }

    /// A file that is not editable: either it is as it was, or the edit is ignored.
    fn compare(&mut self, name: &str, size: u64) -> Result<(), TreeError> {
        let Some(old) = self.pristine.0.get(name) else {
            if !is_instructions(name) {
                self.ignore(format!("{name} (not editable)"));
            }
            return Ok(());
        };
        self.seen.insert(name.to_owned());
        let length = old.len() as u64;
        let same = size == length
            && self.root.read(name, length).map_err(|e| self.unreadable(name, e))?.as_ref()
                == Some(old);
        if !same {
            self.ignore(format!("{name} (changed, not editable)"));
        }
        Ok(())
    }

    fn ignore(&mut self, line: String) {
        if self.ignored.len() < self.bounds.ignored {
            self.ignored.push(line);
        } else {
            self.more += 1;
        }
    }

    fn unreadable(&self, name: &str, source: io::Error) -> TreeError {
        TreeError::Workspace { path: self.path.join(name), source }
    }

    fn finish(mut self) -> Tree {
        let mut files = Files::default();
        let mut gone = Vec::new();
        for (name, bytes) in &self.pristine.0 {
            if !self.is_editable(name) {
                files.0.insert(name.clone(), bytes.clone());
                if !self.seen.contains(name) {
                    gone.push(format!("{name} (deleted, not editable)"));
                }
            }
        }
        gone.into_iter().for_each(|line| self.ignore(line));
        for (name, bytes) in std::mem::take(&mut self.found.0) {
            // A folder in the place of a file that stays cannot be written.
            if Path::new(&name)
                .ancestors()
                .skip(1)
                .any(|above| above.to_str().is_some_and(|above| files.0.contains_key(above)))
            {
                self.ignore(format!("{name} (below what is a file)"));
            } else {
                files.0.insert(name, bytes);
            }
        }
        if self.more > 0 {
            self.ignored.push(format!("and {} more", self.more));
        }
        Tree { files, ignored: self.ignored }
    }
}

/// The texts that `workspace` puts beside the tree for people; not part of it.
fn is_instructions(name: &str) -> bool {
    let parts: Vec<&str> = name.split('/').collect();
    matches!(parts[..], ["steps"] | ["steps", _] | ["steps", _, "instruction.md"])
}

/// Which folders a glob can match something in.
struct Reach {
    /// The folders that are spelled out at its beginning (`""` or ending in `/`).
    folder: String,
    /// Whether it goes on below that one.
    below: bool,
}

impl Reach {
    fn of(glob: &str) -> Reach {
        let plain = glob.find(['*', '?', '[', '{', '\\']).unwrap_or(glob.len());
        let (folder, _) = glob[..plain].rsplit_once('/').unwrap_or(("", ""));
        let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let rest = &glob[folder.len()..];
        // Braces and brackets may hide a slash; then anything is possible.
        let below = rest.contains("**") || rest.contains(['/', '{', '[', '\\']);
        Reach { folder, below }
    }

    /// `folder` ends in `/`.
    fn reaches(&self, folder: &str) -> bool {
        self.folder.starts_with(folder) || (self.below && folder.starts_with(&self.folder))
    }
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
