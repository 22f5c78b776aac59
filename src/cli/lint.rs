//! `speedgate lint`

use clap::Args;

use super::{CliError, Exit, output};
use crate::report::findings;
use crate::report::terminal::Style;
use crate::task::lint;
use crate::verdict::catalogue;

/// Check a task's files without building anything
///
/// Reads `task.toml` and reports what is wrong in it with file, line and a way out; then looks for
/// what a valid manifest can still get wrong.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  speedgate lint simd
  speedgate lint path/to/my-task")]
pub struct Lint {
    /// Name of a task under `kernels/`, or a path to its folder
    task: String,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

impl Lint {
    pub(super) fn run(self) -> Result<Exit, CliError> {
        let task = catalogue::open(&self.task)?;
        let found = catalogue::lint(&task);
        if self.json {
            output::json(&found)?;
        } else {
            output::text(&findings::render(&task.name, &found, Style::of_stdout()))?;
        }
        let bad = found.iter().any(|f| f.severity == lint::Severity::Error);
        Ok(if bad { Exit::BadTask } else { Exit::Done })
    }
}
