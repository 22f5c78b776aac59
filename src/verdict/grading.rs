//! One run from beginning to end: load, build, check, time, judge.

use std::fs;
use std::path::Path;

use super::calibration::Calibration;
use super::catalogue;
use super::error::EngineError;
use super::marks::Live;
use super::request::{Entry, GradeRequest, TryRequest};
use super::reward::RewardFiles;
use super::setup::Setup;
use super::trial::{Only, Trial};
use crate::build::{Overlay, TreeError};
use crate::gate::{self, Seed};
use crate::report::progress::Progress;
use crate::report::record::{Kind, Record};
use crate::sandbox::Profile;
use crate::task::{Task, vocabulary};
use crate::timer::Budget;

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
    calibration.require(&task.name, &task.steps[step].id)?;
    let mut setup = Setup::new(&task)?;
    let trial = Trial {
        kind: Kind::Grade,
        overlay: overlay(&req.entry, step),
        step: Some(step),
        seed: Seed::fresh()?,
        cases: gate::Plan::GRADE,
        only: Only::Everything,
        budget: Some(Budget::GRADE),
        calibration: &calibration,
        live: if req.live_ref { Live::Always } else { Live::Near },
        only_s: false,
    };
    let record = trial.run(&mut setup, progress)?;
    files.finish(&record)?;
    Ok(record)
}

/// Checks and times on public inputs, quickly; no reward.
pub fn practice(req: &TryRequest, progress: &dyn Progress) -> Result<Record, EngineError> {
    attempt(req, Kind::Practice, Some(Budget::PRACTICE), progress)
}

/// Checks outputs, times nothing; no reward.
pub fn check(req: &TryRequest, progress: &dyn Progress) -> Result<Record, EngineError> {
    attempt(req, Kind::Check, None, progress)
}

fn attempt(
    req: &TryRequest,
    kind: Kind,
    budget: Option<Budget>,
    progress: &dyn Progress,
) -> Result<Record, EngineError> {
    let task = catalogue::open(&req.task)?;
    let step = req.step.as_deref().map(|s| task.step(s)).transpose()?;
    readable(&req.entry)?;
    let only = asked(req, &task, step)?;
    let calibration = Calibration::read(&task.baselines())?;
    let mut setup = Setup::new(&task)?;
    let trial = Trial {
        kind,
        overlay: overlay(&req.entry, step.unwrap_or(task.steps.len().saturating_sub(1))),
        step,
        seed: req.seed,
        cases: if kind == Kind::Check { gate::Plan::GRADE } else { gate::Plan::PRACTICE },
        only,
        budget,
        calibration: &calibration,
        // The solution need not meet itself.
        live: if req.entry == Entry::Solution { Live::Never } else { Live::Near },
        only_s: false,
    };
    trial.run(&mut setup, progress)
}

/// What is to be checked of the functions up to a step, or of all.
pub(super) fn asked(
    req: &TryRequest,
    task: &Task,
    step: Option<usize>,
) -> Result<Only, EngineError> {
    if let Some(name) = &req.replay {
        return Ok(Only::Calls(replayed(task, name)?));
    }
    if req.functions.is_empty() {
        return Ok(Only::Everything);
    }
    let all = task.functions_up_to(step.unwrap_or(task.steps.len().saturating_sub(1)));
    let name = |f: &usize| task.functions[*f].name.as_str();
    if let Some(missing) = req.functions.iter().find(|n| !all.iter().any(|f| name(f) == *n)) {
        let help = vocabulary::suggest(missing, all.iter().map(name));
        let (task, name) = (task.name.clone(), missing.clone());
        return Err(EngineError::NoFunction { task, name, help });
    }
    let chosen = |f: &usize| req.functions.iter().any(|n| n == name(f));
    Ok(Only::Functions(all.into_iter().filter(chosen).collect()))
}

/// The calls that a replay names. Numbers mean the same in every plan, and this is the largest.
pub(super) fn replayed(task: &Task, name: &str) -> Result<Vec<gate::Case>, EngineError> {
    let missing = || EngineError::NoCase { task: task.name.clone(), name: name.into() };
    gate::Plan::GRADE.sequence(task, name).ok_or_else(missing)
}

/// The functions that calls are of, each once.
pub(super) fn functions_of(cases: &[gate::Case]) -> Vec<usize> {
    let mut all: Vec<usize> = cases.iter().map(|case| case.function).collect();
    all.sort_unstable();
    all.dedup();
    all
}

pub(super) fn overlay(entry: &Entry, step: usize) -> Overlay<'_> {
    match entry {
        Entry::Workspace(dir) => Overlay::Workspace(dir),
        Entry::Solution => Overlay::Solution { step },
    }
}

/// A workspace must be a folder that can be listed.
pub(super) fn readable(entry: &Entry) -> Result<(), EngineError> {
    let Entry::Workspace(dir) = entry else { return Ok(()) };
    let listed = |dir: &Path| fs::read_dir(dir).map(drop);
    listed(dir).map_err(|source| TreeError::Workspace { path: dir.clone(), source }.into())
}
