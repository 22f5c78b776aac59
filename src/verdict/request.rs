//! What a run is asked to do.

use std::path::PathBuf;

pub use crate::gate::Seed;

/// What is put to the test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// The editable files of this folder.
    Workspace(PathBuf),
    /// The task's own reference solution of the step.
    Solution,
}

/// What `grade` is asked to do.
#[derive(Debug, Clone)]
pub struct GradeRequest {
    /// Name of the task or path of its folder.
    pub task: String,
    /// Identifier of the step or a unique prefix of it.
    pub step: String,
    /// The candidate.
    pub entry: Entry,
    /// Folder for the reward and the result.
    pub out: PathBuf,
    /// Grade although the sandbox can't hold a hostile workspace here.
    pub trust_workspace: bool,
    /// Time the candidate against the reference solution, however far s is from the mark.
    pub live_ref: bool,
}

/// What `practice` and `check` are asked to do.
#[derive(Debug, Clone)]
pub struct TryRequest {
    /// Name of the task or path of its folder.
    pub task: String,
    /// Identifier of the step or a unique prefix of it; all steps when there is none.
    pub step: Option<String>,
    /// The candidate.
    pub entry: Entry,
    /// Seed of the inputs.
    pub seed: Seed,
    /// Names of the only functions to check; all when there are none.
    pub functions: Vec<String>,
    /// Name of the only case to check, as a report prints it; all when there is none.
    pub replay: Option<String>,
}

/// What `calibrate` is asked to do, with `--check` or without.
#[derive(Debug, Clone)]
pub struct CalibrateRequest {
    /// Name of the task or path of its folder.
    pub task: String,
    /// Identifier of the step or a unique prefix of it; all steps when there is none.
    pub step: Option<String>,
    /// How many times the reference solution is graded: once at least, and
    /// [`super::calibration::MIN_REPLAYS`] times where marks are made of it.
    pub replays: usize,
    /// They join the replays of the calibration that there is.
    pub more: bool,
}
