//! One run from beginning to end: load, build, check, time, judge.

use std::fs;
use std::path::Path;

use super::calibration::{Calibration, Setting, StepCalibration};
use super::catalogue;
use super::error::EngineError;
use super::request::{CalibrateRequest, Entry, GradeRequest, TryRequest};
use super::reward::RewardFiles;
use super::setup::Setup;
use super::trial::Trial;
use crate::build::{Overlay, TreeError};
use crate::gate::{self, Seed};
use crate::report::progress::Progress;
use crate::report::record::{Kind, Record};
use crate::sandbox::Profile;
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
    let setup = Setup::new(&task)?;
    let trial = Trial {
        kind: Kind::Grade,
        overlay: overlay(&req.entry, step),
        step: Some(step),
        seed: fresh_seed()?,
        cases: gate::Plan::GRADE,
        only: None,
        budget: Some(Budget::GRADE),
        calibration: &calibration,
    };
    let record = trial.run(&setup, progress)?;
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
    // Numbers mean the same in every plan, and this is the largest.
    let only = req.replay.as_ref().map(|name| {
        let missing = || EngineError::NoCase { task: task.name.clone(), name: name.clone() };
        gate::Plan::GRADE.case(&task, name).ok_or_else(missing)
    });
    let only = only.transpose()?;
    let calibration = Calibration::read(&task.baselines())?;
    let setup = Setup::new(&task)?;
    let trial = Trial {
        kind,
        overlay: overlay(&req.entry, step.unwrap_or(task.steps.len().saturating_sub(1))),
        step,
        seed: req.seed,
        cases: if kind == Kind::Check { gate::Plan::GRADE } else { gate::Plan::PRACTICE },
        only,
        budget,
        calibration: &calibration,
    };
    trial.run(&setup, progress)
}

/// Grades the reference solution again and again, writes the marks that follow, and returns those
/// of each step that was calibrated.
pub fn calibrate(
    req: &CalibrateRequest,
    progress: &dyn Progress,
) -> Result<Vec<(String, StepCalibration)>, EngineError> {
    let task = catalogue::open(&req.task)?;
    let step = req.step.as_deref().map(|s| task.step(s)).transpose()?;
    let setup = Setup::new(&task)?;
    let steps: Vec<usize> = step.map_or((0..task.steps.len()).collect(), |s| vec![s]);
    let replay = |step: usize, budget: Budget, calibration: &Calibration| {
        let id = &task.steps[step].id;
        let trial = Trial {
            kind: Kind::Grade,
            overlay: Overlay::Solution { step },
            step: Some(step),
            seed: fresh_seed()?,
            cases: gate::Plan::PRACTICE,
            only: None,
            budget: Some(budget),
            calibration,
        };
        let record = trial.run(&setup, progress)?;
        let Some(s) = record.speedup else {
            return Err(EngineError::Reference(format!(
                "the reference solution of step `{id}` is not right: {}",
                record.message
            )));
        };
        progress.note(&format!("{id}: s = {:.3} ({:.3} - {:.3})", s.value, s.low, s.high));
        Ok((s.value.ln(), setting_of(&record)))
    };
    // How a function is timed depends on the mark. A first look gives one, so that the replays are
    // timed as gradings will be.
    let mut looks = Calibration::default();
    for &step in &steps {
        let (ln_s, setting) = replay(step, Budget::PRACTICE, &Calibration::default())?;
        looks.step.insert(task.steps[step].id.clone(), StepCalibration::look(ln_s, setting));
    }
    // All steps in turn, again and again: a machine drifts over minutes, and the replays of a step
    // should see all of it.
    let mut replays = vec![Vec::with_capacity(req.replays); steps.len()];
    for number in 0..req.replays {
        for (&step, replays) in steps.iter().zip(&mut replays) {
            let id = &task.steps[step].id;
            progress.note(&format!("{id}: replay {} of {}", number + 1, req.replays));
            replays.push(replay(step, Budget::GRADE, &looks)?);
        }
    }
    // What could be calibrated is kept, whatever becomes of the rest.
    let mut all = Vec::new();
    let mut failed = None;
    for (&step, replays) in steps.iter().zip(replays) {
        let id = task.steps[step].id.clone();
        let (ln_s, settings): (Vec<f64>, Vec<Setting>) = replays.into_iter().unzip();
        let Some(setting) = settings.into_iter().next() else { continue };
        match StepCalibration::from_replays(&ln_s, setting) {
            Ok(marks) => {
                Calibration::write_step(&task.baselines(), &id, marks.clone())?;
                all.push((id, marks));
            }
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    failed.map_or(Ok(all), |error| Err(error.into()))
}

/// What a record was measured with.
fn setting_of(record: &Record) -> Setting {
    let build = record.build.as_ref();
    Setting {
        cpu: record.machine.cpu.clone(),
        compiler: build.map_or(String::new(), |b| b.compiler.version.clone()),
        flags: build.map_or(Vec::new(), |b| b.flags.clone()),
        engine: record.engine.version.clone(),
        date: record.started.clone(),
    }
}

fn overlay(entry: &Entry, step: usize) -> Overlay<'_> {
    match entry {
        Entry::Workspace(dir) => Overlay::Workspace(dir),
        Entry::Solution => Overlay::Solution { step },
    }
}

fn fresh_seed() -> Result<Seed, EngineError> {
    Seed::fresh().map_err(|e| EngineError::System {
        act: "can't draw a seed from the operating system".into(),
        source: std::io::Error::other(e.to_string()),
    })
}

/// A workspace must be a folder that can be listed.
fn readable(entry: &Entry) -> Result<(), EngineError> {
    let Entry::Workspace(dir) = entry else { return Ok(()) };
    let listed = |dir: &Path| fs::read_dir(dir).map(drop);
    listed(dir).map_err(|source| TreeError::Workspace { path: dir.clone(), source }.into())
}
