//! Where tasks are found, and how a task answers questions about its steps.

use std::path::{Path, PathBuf};

use super::vocabulary::suggest;
use super::{Task, TaskError};

/// File that makes a folder a task.
pub const MANIFEST: &str = "task.toml";

/// The folder that holds `kernels/` and `baselines/`: `SPEEDGATE_ROOT` if it is set, else the
/// nearest one at or above the current folder.
pub fn root() -> Result<PathBuf, TaskError> {
    if let Some(root) = std::env::var_os("SPEEDGATE_ROOT") {
        let root = PathBuf::from(root);
        return if root.join("kernels").is_dir() { Ok(root) } else { Err(TaskError::NoRoot) };
    }
    let here = std::env::current_dir()
        .map_err(|source| TaskError::Unreadable { path: ".".into(), source })?;
    root_above(&here).ok_or(TaskError::NoRoot)
}

/// The nearest folder at or above `here` that holds `kernels/`.
pub fn root_above(here: &Path) -> Option<PathBuf> {
    here.ancestors().find(|dir| dir.join("kernels").is_dir()).map(Path::to_path_buf)
}

/// The folder of a task that is named as under `kernels/`, or by a path (to the folder or to its
/// `task.toml`).
pub fn find(root: &Path, name_or_path: &str) -> Result<PathBuf, TaskError> {
    let is_name = !name_or_path.is_empty()
        && !name_or_path.starts_with('.')
        && !name_or_path.contains(std::path::MAIN_SEPARATOR);
    let given = Path::new(name_or_path);
    let named = is_name.then(|| root.join("kernels").join(name_or_path));
    let direct = match given.file_name() {
        Some(file) if file == MANIFEST => given.parent().map(|dir| {
            if dir.as_os_str().is_empty() { PathBuf::from(".") } else { dir.to_path_buf() }
        }),
        _ => Some(given.to_path_buf()),
    };
    for dir in [named, direct].into_iter().flatten() {
        if dir.join(MANIFEST).is_file() {
            return Ok(dir);
        }
    }
    let help = if given.is_dir() {
        format!("{name_or_path} is a folder without a {MANIFEST}")
    } else {
        let tasks = list(root);
        let names: Vec<&str> = tasks.iter().filter_map(|dir| dir.file_name()?.to_str()).collect();
        suggest(name_or_path, names)
    };
    Err(TaskError::NoTask { name: name_or_path.into(), help })
}

/// The folders of all tasks under `kernels/`, sorted by name.
pub fn list(root: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root.join("kernels")).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> =
        entries.map(|e| e.path()).filter(|dir| dir.join(MANIFEST).is_file()).collect();
    found.sort();
    found
}

impl Task {
    /// Index of the step with this id, or with this unique prefix of one.
    pub fn step(&self, id_or_prefix: &str) -> Result<usize, TaskError> {
        if let Some(exact) = self.steps.iter().position(|s| s.id == id_or_prefix) {
            return Ok(exact);
        }
        let found: Vec<usize> = (0..self.steps.len())
            .filter(|i| !id_or_prefix.is_empty() && self.steps[*i].id.starts_with(id_or_prefix))
            .collect();
        let message = match found.as_slice() {
            [one] => return Ok(*one),
            [] => format!("task `{}` has no step `{id_or_prefix}`", self.name),
            _ => format!("`{id_or_prefix}` could be several steps of task `{}`", self.name),
        };
        let ids: Vec<&str> = self.steps.iter().map(|s| s.id.as_str()).collect();
        Err(TaskError::Step { message, help: format!("its steps: {}", ids.join(", ")) })
    }

    /// Functions of a step and of all before it (indices into [`Task::functions`]): what must
    /// still be right when that step is graded.
    pub fn functions_up_to(&self, step: usize) -> Vec<usize> {
        self.steps.iter().take(step + 1).flat_map(|s| s.functions.iter().copied()).collect()
    }

    /// The folder of the task's reference solutions and calibration: `baselines/<name>` beside
    /// the `kernels/` that holds the task, or a folder `baselines` of a task that stands alone.
    pub fn baselines(&self) -> PathBuf {
        // `dir` may be relative and short (`.`); its real place is what counts.
        let dir = std::fs::canonicalize(&self.dir).unwrap_or_else(|_| self.dir.clone());
        match dir.parent() {
            Some(kernels) if kernels.file_name().is_some_and(|n| n == "kernels") => {
                kernels.with_file_name("baselines").join(&self.name)
            }
            _ => self.dir.join("baselines"),
        }
    }
}
