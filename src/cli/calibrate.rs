//! `speedgate calibrate`

use clap::Args;

use super::{CliError, Exit, output};
use crate::report::progress::Terminal;
use crate::verdict::calibration::MIN_REPLAYS;
use crate::verdict::replay::{self, Outlook};
use crate::verdict::request::CalibrateRequest;

/// Measure the reference solutions and fix the marks to pass
///
/// Times the reference solution against the reference and against itself, again and again. Writes
/// `s_ref`, its speedup, and `pass_at`, the mark that an equally fast solution passes 99 times in 100,
/// into `baselines/TASK/calibration.toml`, and says how often that very solution would pass, and one
/// 3 % slower. Run it on the machine that will grade; with `--check` it sees whether marks from
/// elsewhere hold here.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  speedgate calibrate simd
  speedgate calibrate simd --step 01 --replays 20
  speedgate calibrate simd --more
  speedgate calibrate simd --check")]
pub struct Calibrate {
    /// Name of a task under `kernels/`, or a path to its folder
    task: String,
    /// Only this step: its identifier or the beginning of it, such as `01`
    #[arg(long)]
    step: Option<String>,
    /// How many times the reference solution is timed: 10 if not given, and not fewer; 3 with `--more`
    /// or `--check`
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    replays: Option<u16>,
    /// Add to the replays that there are (3, or `--replays`) instead of beginning anew: a machine
    /// drifts over hours, and `s_ref` should know it
    #[arg(long, conflicts_with = "check")]
    more: bool,
    /// Write nothing: say whether replays here agree with the marks there are
    #[arg(long)]
    check: bool,
}

/// Replays of `--check` and `--more`.
const FEW: usize = 3;

impl Calibrate {
    pub(super) fn run(self) -> Result<Exit, CliError> {
        let usual = if self.check || self.more { FEW } else { MIN_REPLAYS };
        let request = CalibrateRequest {
            task: self.task,
            step: self.step,
            replays: self.replays.map_or(usual, usize::from),
            more: self.more,
        };
        if self.check {
            for step in replay::check_calibration(&request, &Terminal::stderr())? {
                output::text(&format!("{step}\n"))?;
            }
            return Ok(Exit::Done);
        }
        for (id, step) in replay::calibrate(&request, &Terminal::stderr())? {
            output::text(&format!("{id}: {step}\n  {}\n", Outlook::new(&step)?))?;
        }
        Ok(Exit::Done)
    }
}
