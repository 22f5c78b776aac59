//! `speedgate workspace`

use std::path::PathBuf;

use clap::Args;

use super::{CliError, Exit, output};
use crate::build;
use crate::task::cache::Cache;
use crate::verdict::catalogue;

/// Write the tree to start from
///
/// The folder gets the library as it is, without anybody's optimizations, and each step's
/// instruction. Edit the files that the task calls editable, then `practice`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  speedgate workspace simd --out my
  speedgate practice simd --workspace my")]
pub struct Workspace {
    /// Name of a task under `kernels/`, or a path to its folder
    task: String,
    /// Folder to write to: a new or an empty one
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

impl Workspace {
    pub(super) fn run(self) -> Result<Exit, CliError> {
        let task = catalogue::open(&self.task)?;
        build::write_workspace(&task, &Cache::open()?, &self.out)?;
        output::text(&format!(
            "Wrote the workspace of {name} to {out}. Editable: {editable}\n\
             Try it: speedgate practice {given} --workspace {out}\n",
            name = task.name,
            given = self.task,
            out = self.out.display(),
            editable = task.build.editable.join(" "),
        ))?;
        Ok(Exit::Done)
    }
}
