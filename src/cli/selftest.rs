//! `speedgate selftest`

use clap::{Args, Subcommand};

use super::{CliError, Exit, output};
use crate::report::progress::Terminal;
use crate::report::terminal::Style;
use crate::verdict::selftest::{self, attacks};

/// Put speedgate itself to the test
///
/// Planted defects must be found, odd but honest submissions must not be accused. Exits with 5 if
/// it is not so.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  speedgate selftest gate
  speedgate selftest attacks
  speedgate selftest attacks content-cache unseals-faster")]
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
    /// Run workspaces that want the reward without the work: does any get it?
    Attacks {
        /// Only these; all if there are none
        names: Vec<String>,
        /// Print the result as JSON
        #[arg(long)]
        json: bool,
    },
}

impl Selftest {
    pub(super) fn run(self) -> Result<Exit, CliError> {
        let (progress, style) = (Terminal::stderr(), Style::of_stdout());
        let sound = match self.part {
            Part::Gate { json } => {
                let report = selftest::gate(&progress)?;
                let text = || selftest::render(&report, style);
                if json {
                    output::json(&report)?
                } else {
                    output::text(&text())?
                }
                report.sound()
            }
            Part::Attacks { names, json } => {
                let card = attacks::run(&names, &progress)?;
                let text = || attacks::render(&card, style);
                if json {
                    output::json(&card)?
                } else {
                    output::text(&text())?
                }
                card.sound()
            }
        };
        Ok(if sound { Exit::Done } else { Exit::Internal })
    }
}
