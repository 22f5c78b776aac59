//! `speedgate grade`

use std::path::PathBuf;

use clap::Args;

use super::{Candidate, CliError, Exit, output};
use crate::report::progress::Terminal;
use crate::verdict::grading;
use crate::verdict::request::GradeRequest;

/// Grade a workspace on hidden inputs: the reward
///
/// Checks every output of the step's and of all earlier steps' functions on inputs drawn from the
/// operating system, measures the step's speedup s, and holds it against the calibrated mark. The
/// output folder gets `reward.json` and `reward.txt` (0 from the start, 1 at the end if all is
/// right and fast enough) and `result.json` with everything that was found.
///
/// Where s comes near the mark, or on another processor than the calibration's, the candidate is timed
/// against the reference solution, too, whose speed then decides; with `--live-ref` it is in any case.
///
/// The workspace is taken for hostile, which needs root (a container or VM will do).
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  speedgate grade simd --step 01 --workspace /app --out /logs/verifier
  speedgate grade simd --step 01 --solution --out result --json
  speedgate grade simd --step 01 --workspace my --out result --trust-workspace --require-pass")]
pub struct Grade {
    /// Name of a task under `kernels/`, or a path to its folder
    task: String,
    /// The step: its identifier or the beginning of it, such as `01`
    #[arg(long)]
    step: String,
    #[command(flatten)]
    candidate: Candidate,
    /// Folder for the reward and the result; created if need be
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// Exit with 1 unless it passes
    #[arg(long)]
    require_pass: bool,
    /// Grade although the sandbox can't hold a hostile workspace here (no root)
    #[arg(long)]
    trust_workspace: bool,
    /// Time the candidate against the reference solution, too, and hold s against both marks
    #[arg(long)]
    live_ref: bool,
}

impl Grade {
    pub(super) fn run(self) -> Result<Exit, CliError> {
        let request = GradeRequest {
            task: self.task,
            step: self.step,
            entry: self.candidate.into(),
            out: self.out,
            trust_workspace: self.trust_workspace,
            live_ref: self.live_ref,
        };
        let record = grading::grade(&request, &Terminal::stderr())?;
        output::record(&record, self.json, self.require_pass)
    }
}
