//! One run from beginning to end: load, build, check, time, judge.

use std::fs;
use std::path::Path;

use super::calibration::{Calibration, StepCalibration};
use super::catalogue;
use super::error::EngineError;
use super::request::{CalibrateRequest, Entry, GradeRequest, TryRequest};
use super::reward::RewardFiles;
use crate::report::progress::Progress;
use crate::report::record::Record;
use crate::sandbox::Profile;

/// Grades a workspace on hidden inputs. The reward files are written as 0 first and replaced
/// last; an error on the way leaves them at 0 and no result.
pub fn grade(req: &GradeRequest, progress: &dyn Progress) -> Result<Record, EngineError> {
    let files = RewardFiles::open(&req.out)?;
    let trusted = req.trust_workspace || req.entry == Entry::Solution;
    if !trusted && Profile::detect() == Profile::User {
        return Err(EngineError::Untrusted);
    }
    let task = catalogue::open(&req.task)?;
    let step = task.step(&req.step)?;
    readable(&req.entry)?;
    let calibration = Calibration::read(&task.baselines())?;
    let _marks = calibration.require(&task.name, &task.steps[step].id)?;
    let record = judge(progress)?;
    files.finish(&record)?;
    Ok(record)
}

/// Checks and times on public inputs, quickly; no reward.
pub fn practice(req: &TryRequest, progress: &dyn Progress) -> Result<Record, EngineError> {
    let task = catalogue::open(&req.task)?;
    let _step = req.step.as_deref().map(|s| task.step(s)).transpose()?;
    readable(&req.entry)?;
    judge(progress)
}

/// Checks outputs, times nothing; no reward.
pub fn check(req: &TryRequest, progress: &dyn Progress) -> Result<Record, EngineError> {
    let task = catalogue::open(&req.task)?;
    let _step = req.step.as_deref().map(|s| task.step(s)).transpose()?;
    readable(&req.entry)?;
    judge(progress)
}

/// Grades the reference solution again and again, writes the marks that follow, and returns those
/// of each step that was calibrated.
pub fn calibrate(
    req: &CalibrateRequest,
    progress: &dyn Progress,
) -> Result<Vec<(String, StepCalibration)>, EngineError> {
    let task = catalogue::open(&req.task)?;
    let _step = req.step.as_deref().map(|s| task.step(s)).transpose()?;
    judge(progress)?;
    Ok(Vec::new())
}

/// A workspace must be a folder that can be listed.
fn readable(entry: &Entry) -> Result<(), EngineError> {
    let Entry::Workspace(dir) = entry else { return Ok(()) };
    let listed = |dir: &Path| fs::read_dir(dir).map(drop);
    listed(dir).map_err(|source| EngineError::Workspace { path: dir.clone(), source })
}

fn judge(_progress: &dyn Progress) -> Result<Record, EngineError> {
    unimplemented!("the engine")
}
