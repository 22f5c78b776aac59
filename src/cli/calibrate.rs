//! `speedgate calibrate`

use clap::Args;

use super::{CliError, Exit, output};
use crate::report::progress::Terminal;
use crate::verdict::grading;
use crate::verdict::request::CalibrateRequest;

/// Measure the reference solutions and fix the marks to pass
///
/// Grades the reference solution again and again. Writes `s_ref`, its speedup, and `pass_at`, the
/// mark that an equally fast solution passes 99 times in 100, into
/// `baselines/TASK/calibration.toml`. Run it on the machine that will grade.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  speedgate calibrate simd
  speedgate calibrate simd --step 01 --replays 20")]
pub struct Calibrate {
    /// Name of a task under `kernels/`, or a path to its folder
    task: String,
    /// Only this step: its identifier or the beginning of it, such as `01`
    #[arg(long)]
    step: Option<String>,
    /// How many times the reference solution is graded, 10 at least
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(10..))]
    replays: u16,
}

impl Calibrate {
    pub(super) fn run(self) -> Result<Exit, CliError> {
        let request = CalibrateRequest {
            task: self.task,
            step: self.step,
            replays: usize::from(self.replays),
        };
        let steps = grading::calibrate(&request, &Terminal::stderr())?;
        for (id, step) in steps {
            output::text(&format!("{id}: {step}\n"))?;
        }
        Ok(Exit::Done)
    }
}
