//! Writing trees for people: the one to start from, and a solution.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::tree::{Overlay, TreeError, assemble};
use crate::task::Task;
use crate::task::cache::Cache;
use crate::task::files::Files;

/// Why no workspace was written.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum WorkspaceError {
    /// There is no tree to write.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Tree(#[from] TreeError),
    /// Somebody's work could be overwritten.
    #[error("{path} is not empty")]
    #[diagnostic(help("name a new folder, or empty this one"))]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// The file system refuses.
    #[error("{path} cannot be written: {source}")]
    Io {
        /// The folder.
        path: PathBuf,
        /// What the file system said.
        source: io::Error,
    },
}

/// Writes the tree to start from into `dir` (new or empty), with each step's instructions as
/// `steps/<id>/instruction.md`.
///
/// # Errors
/// See [`WorkspaceError`].
pub fn write_workspace(task: &Task, cache: &Cache, dir: &Path) -> Result<(), WorkspaceError> {
    write(task, Overlay::Pristine, cache, dir)
}

/// Writes the reference solution of a step as an ordinary workspace into `dir` (new or empty).
///
/// # Errors
/// See [`WorkspaceError`].
pub fn write_solution(
    task: &Task,
    step: usize,
    cache: &Cache,
    dir: &Path,
) -> Result<(), WorkspaceError> {
    write(task, Overlay::Solution { step }, cache, dir)
}

fn write(task: &Task, overlay: Overlay, cache: &Cache, dir: &Path) -> Result<(), WorkspaceError> {
    let failed = |source| WorkspaceError::Io { path: dir.to_owned(), source };
    // First what can fail for other reasons, so that nothing half-made is left.
    let mut files = assemble(task, overlay, cache)?.files;
    files.0.extend(instructions(task).map_err(failed)?.0);
    fs::create_dir_all(dir).map_err(failed)?;
    if fs::read_dir(dir).map_err(failed)?.next().is_some() {
        return Err(WorkspaceError::NotEmpty { path: dir.to_owned() });
    }
    files.write(dir, 0o644).map_err(failed)
}

fn instructions(task: &Task) -> io::Result<Files> {
    let mut files = Files::default();
    for step in &task.steps {
        let name = format!("steps/{}/instruction.md", step.id);
        match fs::read(task.dir.join(&name)) {
            Ok(text) => drop(files.0.insert(name, text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(files)
}
