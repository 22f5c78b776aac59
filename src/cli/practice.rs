//! `speedgate practice`

use std::path::PathBuf;

use clap::Args;

use super::{CliError, Exit, output};
use crate::report::progress::Terminal;
use crate::verdict::grading;
use crate::verdict::request::{Entry, Seed, TryRequest};

/// Check and time on public inputs, quickly
///
/// Without a workspace it practises the task's reference solution: what there is to win.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  speedgate practice simd
  speedgate practice simd --step 01 --workspace my")]
pub struct Practice {
    /// Name of a task under `kernels/`, or a path to its folder
    task: String,
    /// Only this step: its identifier or the beginning of it, such as `01`
    #[arg(long)]
    step: Option<String>,
    /// Take the editable files from this folder
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl Practice {
    pub(super) fn run(self) -> Result<Exit, CliError> {
        let hint = self.workspace.is_none() && !self.json;
        let request = TryRequest {
            task: self.task,
            step: self.step,
            entry: self.workspace.map_or(Entry::Solution, Entry::Workspace),
            seed: Seed::PUBLIC,
            functions: Vec::new(),
            replay: None,
        };
        let record = grading::practice(&request, &Terminal::stderr())?;
        let exit = output::record(&record, self.json, false)?;
        if hint {
            let task = &request.task;
            output::text(&format!(
                "\nThis was the reference solution. For a workspace of your own:\n  \
                 speedgate workspace {task} --out my\n  \
                 speedgate practice {task} --workspace my\n"
            ))?;
        }
        Ok(exit)
    }
}
