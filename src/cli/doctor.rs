//! `speedgate doctor`

use clap::Args;

use serde::Serialize;

use super::{CliError, Exit, output};
use crate::report::doctor::{self, Diagnosis};
use crate::report::progress::Terminal;
use crate::report::resolution::{self, Resolution};
use crate::report::terminal::Style;
use crate::verdict::measure::measure;

/// How long `--measure` times.
const MEASURE_SECONDS: u64 = 60;

/// Say what this machine is good for
///
/// Looks at cores, clock, hardware counters, load and compilers, and tries every part of the
/// sandbox by attempting what it must forbid.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  speedgate doctor
  speedgate doctor --measure
  speedgate doctor --json")]
pub struct Doctor {
    /// Time small functions against copies of themselves for a minute, and say what differences
    /// can be told here
    #[arg(long)]
    measure: bool,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

/// What `--measure --json` prints.
#[derive(Serialize)]
struct Measured {
    #[serde(flatten)]
    diagnosis: Diagnosis,
    resolution: Resolution,
}

impl Doctor {
    pub(super) fn run(self) -> Result<Exit, CliError> {
        let diagnosis = doctor::examine();
        if !self.measure {
            if self.json {
                output::json(&diagnosis)?;
            } else {
                output::text(&doctor::render(&diagnosis, Style::of_stdout()))?;
            }
            return Ok(Exit::Done);
        }
        let resolution = measure(MEASURE_SECONDS, &Terminal::stderr())?;
        if self.json {
            output::json(&Measured { diagnosis, resolution })?;
        } else {
            let style = Style::of_stdout();
            let both = [doctor::render(&diagnosis, style), resolution::render(&resolution, style)];
            output::text(&both.join("\n"))?;
        }
        Ok(Exit::Done)
    }
}
