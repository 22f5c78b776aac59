//! `speedgate solution`

use std::path::PathBuf;

use clap::Args;

use super::{CliError, Exit, output};
use crate::build;
use crate::task::cache::Cache;
use crate::verdict::catalogue;

/// Write the reference solution of a step as a workspace
///
/// It is the author's own work (or upstream's, taken by a recipe): what a step's mark is measured
/// with. It spoils the task for whoever wants to solve it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  speedgate solution simd --step 01 --out solved
  speedgate grade simd --step 01 --workspace solved --out result")]
pub struct Solution {
    /// Name of a task under `kernels/`, or a path to its folder
    task: String,
    /// The step: its identifier or the beginning of it, such as `01`
    #[arg(long)]
    step: String,
    /// Folder to write to: a new or an empty one
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

impl Solution {
    pub(super) fn run(self) -> Result<Exit, CliError> {
        let task = catalogue::open(&self.task)?;
        let step = task.step(&self.step)?;
        build::write_solution(&task, step, &Cache::open()?, &self.out)?;
        output::text(&format!(
            "Wrote the reference solution of {name} {step} to {out}\n\
             Try it: speedgate practice {given} --step {step} --workspace {out}\n",
            name = task.name,
            step = task.steps[step].id,
            given = self.task,
            out = self.out.display(),
        ))?;
        Ok(Exit::Done)
    }
}
