//! `speedgate doctor`

use clap::Args;

use super::{CliError, Exit, output};
use crate::report::doctor;
use crate::report::terminal::Style;

/// Say what this machine is good for
///
/// Looks at cores, clock, hardware counters, load and compilers, and tries every part of the
/// sandbox by attempting what it must forbid.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  speedgate doctor
  speedgate doctor --json")]
pub struct Doctor {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

impl Doctor {
    pub(super) fn run(self) -> Result<Exit, CliError> {
        let diagnosis = doctor::examine();
        if self.json {
            output::json(&diagnosis)?;
        } else {
            output::text(&doctor::render(&diagnosis, Style::of_stdout()))?;
        }
        Ok(Exit::Done)
    }
}
