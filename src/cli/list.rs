//! `speedgate list`

use clap::Args;

use super::{CliError, Exit, output};
use crate::report::terminal::Style;
use crate::task;
use crate::verdict::catalogue;

/// List the tasks, their steps and whether they can be graded
///
/// Tasks are the folders under `kernels/` of the nearest folder that has one, here or above, or
/// of the folder in SPEEDGATE_ROOT.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  speedgate list
  speedgate list --json")]
pub struct List {
    /// Print the list as JSON, with every function's name
    #[arg(long)]
    json: bool,
}

impl List {
    pub(super) fn run(self) -> Result<Exit, CliError> {
        let catalogue = catalogue::catalogue(&task::root()?);
        if self.json {
            output::json(&catalogue)?;
        } else {
            output::text(&catalogue::render(&catalogue, Style::of_stdout()))?;
        }
        Ok(Exit::Done)
    }
}
