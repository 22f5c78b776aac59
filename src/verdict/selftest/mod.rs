//! The gate on trial: planted defects, each of which it must find and name, and odd but honest
//! submissions, of which it may accuse none. (All of speedgate under attack: [`attacks`].)

pub mod attacks;
mod corpus;

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::error::EngineError;
use super::setup::{Poised, Setup};
use crate::build::{BuildError, Built, Library, Overlay, Refusal};
use crate::gate::{self, Case, Ended, Gate, Plan, Schedule, Seed, Side, Stopped, Tally};
use crate::report::progress::{Progress, Silent};
use crate::report::record::Outcome;
use crate::report::terminal::{self, Style};
use crate::sandbox::Party;
use crate::task::Task;
use crate::worker::Worker;
use corpus::Planted;

/// Name and version of the JSON form.
pub const SCHEMA: &str = "speedgate.selftest/1";

/// What became of every planted submission.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// `speedgate.selftest/1`.
    pub schema: &'static str,
    /// Defects that were found with the right outcome and message.
    pub caught: usize,
    /// Honest submissions that were not let through.
    pub accused: usize,
    /// The defects in order.
    pub defects: Vec<Finding>,
    /// The odd but honest submissions in order.
    pub honest: Vec<Finding>,
    /// How long it took.
    pub seconds: f64,
}

/// What became of one planted submission.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// Name of the submission.
    pub name: &'static str,
    /// The function that it replaces.
    pub function: &'static str,
    /// The outcome that it must have.
    pub expected: Outcome,
    /// What the message must hold; empty for an honest one.
    pub says: &'static str,
    /// The outcome that it had.
    pub outcome: Outcome,
    /// What the gate said; empty for a pass.
    pub message: String,
    /// Whether both are as they must be.
    pub right: bool,
}

impl Report {
    /// Whether every defect was caught and nobody honest accused.
    pub fn sound(&self) -> bool {
        self.caught == self.defects.len() && self.accused == 0
    }
}

/// Puts every planted submission to the gate, one after the other.
///
/// # Errors
/// When the machine can't build or run them. What the gate finds is in the report.
pub fn gate(progress: &dyn Progress) -> Result<Report, EngineError> {
    let begin = Instant::now();
    let folder = tempfile::tempdir().map_err(system)?;
    let dir = folder.path().join("planted");
    corpus::write_task(&dir).map_err(system)?;
    let task = Task::load(&dir)?;
    let setup = Setup::new(&task)?;
    let reference = setup.build("reference", Overlay::Pristine, &[LAYOUT], progress)?;
    let (mut oracle, loaded) = setup.oracle(&reference, progress)?;
    let all = [corpus::defects(), corpus::honest()].concat();
    progress.stage("putting planted submissions to the gate", Some(all.len() as u64));
    let mut findings = Vec::with_capacity(all.len());
    for (planted, done) in all.iter().zip(1..) {
        let workspace = folder.path().join("workspace");
        corpus::write_workspace(&workspace, planted).map_err(system)?;
        let (outcome, message) = examine(&setup, planted, &workspace, (&loaded, &mut oracle))?;
        fs::remove_dir_all(&workspace).map_err(system)?;
        let right = outcome == planted.outcome && message.contains(planted.says);
        if !right {
            progress.note(&format!("{}: {outcome}. {message}", planted.name));
        }
        let Planted { name, function, outcome: expected, says, .. } = *planted;
        findings.push(Finding { name, function, expected, says, outcome, message, right });
        progress.done(done);
    }
    let (honest, defects): (Vec<_>, Vec<_>) =
        findings.into_iter().partition(|f| f.expected == Outcome::Pass);
    Ok(Report {
        schema: SCHEMA,
        caught: defects.iter().filter(|f| f.right).count(),
        accused: honest.iter().filter(|f| !f.right).count(),
        defects,
        honest,
        seconds: begin.elapsed().as_secs_f64(),
    })
}

/// Opens the gate over the planted task's own library on both sides, and hands `work` a way to run
/// cases of one of its functions. For benches.
///
/// # Errors
/// When the machine can't build or run it.
pub fn pristine<R>(
    function: &str,
    work: impl FnOnce(&mut dyn FnMut(&[Case]) -> Result<(), Stopped>, Vec<Case>) -> R,
) -> Result<R, EngineError> {
    let folder = tempfile::tempdir().map_err(system)?;
    let dir = folder.path().join("planted");
    corpus::write_task(&dir).map_err(system)?;
    let task = Task::load(&dir)?;
    let setup = Setup::new(&task)?;
    let built = setup.build("reference", Overlay::Pristine, &[LAYOUT], &Silent)?;
    let start = |party| {
        let worker = setup.start(party, built.layouts.first());
        worker.map_err(|fate| EngineError::Reference(fate.to_string()))
    };
    let (mut oracle, mut candidate) = (start(Party::Oracle)?, start(Party::Candidate)?);
    let _poised = Poised::take(&setup);
    let index = task.functions.iter().position(|f| f.name == function);
    let index = index.ok_or_else(|| EngineError::Reference(format!("no function `{function}`")))?;
    let gate = Gate {
        task: &task,
        symbols: &setup.symbols,
        seed: Seed::PUBLIC,
        algorithm: setup.algorithm,
        deadline: Instant::now() + Duration::from_secs(3600),
    };
    let cases = Plan::GRADE.cases(&task, index);
    let mut run =
        |cases: &[Case]| gate.run(cases, &mut oracle, &mut candidate, &mut Tally::new(&|_| {}));
    Ok(work(&mut run, cases))
}

/// Seed of the layout of all libraries.
const LAYOUT: u64 = 1;

/// Of the cases of functions that a submission leaves as they are, one in so many is called.
const FEW: usize = 50;

/// Time that the calls of one submission may take: far more than they need.
const TIME: Duration = Duration::from_secs(120);

/// Builds one submission and has it checked.
fn examine(
    setup: &Setup<'_>,
    planted: &Planted,
    workspace: &Path,
    (ours, oracle): (&Library, &mut Worker),
) -> Result<(Outcome, String), EngineError> {
    let candidate: Built =
        match setup.build("candidate", Overlay::Workspace(workspace), &[LAYOUT], &Silent) {
            Ok(built) => built,
            Err(BuildError::Candidate { outcome, log }) => {
                let outcome = match outcome {
                    Refusal::BuildFailed => Outcome::BuildFailed,
                    Refusal::AuditRejected => Outcome::AuditRejected,
                };
                return Ok((outcome, log));
            }
            Err(error) => return Err(error.into()),
        };
    let _poised = Poised::take(setup);
    let task = setup.task;
    let gate = Gate {
        task,
        symbols: &setup.symbols,
        seed: Seed::PUBLIC,
        algorithm: setup.algorithm,
        deadline: Instant::now() + TIME,
    };
    let Some(function) = task.functions.iter().position(|f| f.name == planted.function) else {
        return Err(EngineError::Reference(format!("no function `{}`", planted.function)));
    };
    let start = |_| setup.start(Party::Candidate, candidate.layouts.first());
    let schedule = schedule(task, function);
    let done = schedule.run(&gate, oracle, &start, &mut Tally::new(&|_| {}));
    let stopped = match done {
        Ok(()) => {
            let entry = task.functions[function].entry;
            let (Some(entry), Some(theirs)) = (entry, candidate.layouts.first()) else {
                return Ok((Outcome::Pass, String::new()));
            };
            let mut worker = match start(0) {
                Ok(worker) => worker,
                Err(fate) => return Ok(gate::judge(&fate, None)),
            };
            let cases = Plan::GRADE.cases(task, entry);
            let mut reference = Side { worker: oracle, library: ours };
            let mut candidate = Side { worker: &mut worker, library: theirs };
            match gate.reach(function, &cases, &mut reference, &mut candidate) {
                Ok(_) => return Ok((Outcome::Pass, String::new())),
                Err(stopped) => stopped,
            }
        }
        Err(Ended::Start(fate)) => return Ok(gate::judge(&fate, None)),
        Err(Ended::Stopped { stopped, .. }) => stopped,
    };
    match stopped {
        Stopped::NotReached { message, .. } => Ok((Outcome::NotReached, message)),
        Stopped::Candidate(failure) if failure.case.function == function => {
            Ok((failure.outcome, failure.message))
        }
        Stopped::Candidate(failure) => {
            let name = &task.functions[failure.case.function].name;
            let message = format!("in `{name}`, which it does not replace: {}", failure.message);
            Ok((failure.outcome, message))
        }
        late @ Stopped::Late { .. } => Ok((Outcome::Incomplete, late.to_string())),
        Stopped::Task(error) => Err(error.into()),
        failed => Err(EngineError::Reference(failed.to_string())),
    }
}

/// All cases of the function that a submission replaces, with some of the others between them.
fn schedule(task: &Task, function: usize) -> Schedule {
    let cases = |index| {
        let all = Plan::GRADE.cases(task, index);
        all.into_iter().step_by(if index == function { 1 } else { FEW }).collect()
    };
    let planned: Vec<Vec<Case>> = (0..task.functions.len()).map(cases).collect();
    Schedule::of(&planned, Plan::GRADE.processes, Seed::PUBLIC)
}

fn system(source: io::Error) -> EngineError {
    EngineError::System { act: "can't write the planted submissions".into(), source }
}

/// A table for people and the two numbers, ending in a line break.
pub fn render(report: &Report, style: Style) -> String {
    let mut table =
        terminal::table(&["submission", "function", "outcome", "the gate said"], &[], style);
    for f in report.defects.iter().chain(&report.honest) {
        let mark = if f.right { "" } else { "WRONG: " };
        let outcome = format!("{mark}{}", f.outcome);
        table.add_row([f.name, f.function, &outcome, &terminal::printable(&f.message)]);
    }
    let Report { caught, accused, defects, honest, seconds, .. } = report;
    format!(
        "{table}\n{caught} of {} planted defects caught, {accused} of {} honest submissions \
         accused, {seconds:.0} s\n",
        defects.len(),
        honest.len(),
    )
}
