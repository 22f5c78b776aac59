//! `speedgate selftest`

use clap::{Args, Subcommand};

use super::{CliError, Exit, output};
use crate::report::progress::Terminal;
use crate::report::terminal::Style;
use crate::verdict::selftest;

/// Put speedgate itself to the test
///
/// Planted defects must be found, odd but honest submissions must not be accused. Exits with 5 if
/// it is not so.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  speedgate selftest gate")]
pub struct Selftest {
    #[command(subcommand)]
    part: Part,
}

#[derive(Debug, Subcommand)]
enum Part {
    /// Put planted submissions to the gate: which outcome and message does each get?
    Gate {
        /// Print the result as JSON
        #[arg(long)]
        json: bool,
    },
}

impl Selftest {
    pub(super) fn run(self) -> Result<Exit, CliError> {
        let Part::Gate { json } = self.part;
        let report = selftest::gate(&Terminal::stderr())?;
        if json {
            output::json(&report)?;
        } else {
            output::text(&selftest::render(&report, Style::of_stdout()))?;
        }
        Ok(if report.sound() { Exit::Done } else { Exit::Internal })
    }
}
