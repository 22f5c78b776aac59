//! One run from beginning to end: load, build, check, time, judge.

use super::error::EngineError;
use super::request::{CalibrateRequest, GradeRequest, TryRequest};
use super::reward::RewardFiles;
use crate::report::progress::Progress;
use crate::report::record::Record;

/// Grades a workspace on hidden inputs. The reward files are written as 0 first.
pub fn grade(req: &GradeRequest, progress: &dyn Progress) -> Result<Record, EngineError> {
    let files = RewardFiles::open(&req.out)?;
    let record = judge(req, progress)?;
    files.finish(&record)?;
    Ok(record)
}

fn judge(_req: &GradeRequest, _progress: &dyn Progress) -> Result<Record, EngineError> {
    unimplemented!("the lead's")
}

/// Checks and times on public inputs, quickly; no reward.
pub fn practice(_req: &TryRequest, _progress: &dyn Progress) -> Result<Record, EngineError> {
    unimplemented!("the lead's")
}

/// Checks outputs, times nothing; no reward.
pub fn check(_req: &TryRequest, _progress: &dyn Progress) -> Result<Record, EngineError> {
    unimplemented!("the lead's")
}

/// Grades the reference solution again and again and writes the marks that follow: one
/// (step, marks) for each step that was calibrated.
pub fn calibrate(
    _req: &CalibrateRequest,
    _progress: &dyn Progress,
) -> Result<Vec<(String, super::calibration::StepCalibration)>, EngineError> {
    unimplemented!("the lead's")
}
