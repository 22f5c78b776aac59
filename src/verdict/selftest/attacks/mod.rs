//! speedgate under attack: workspaces that want the reward without the work. Each must end without it:
//! refused, or right and no faster than it was; and what only looks like an attack must pass.
//!
//! ```text
//! catalogue   the ways there are, each with its attacks or the reason why there is none
//! lists       the attacks;  corpus: what one is, and its workspace;  plant: what is no source
//! clock       those that pass the gate, timed against the reference
//! card        the score card; the table in THREATS.md
//! ```

mod card;
mod catalogue;
mod clock;
mod corpus;
mod lists;
mod plant;

use std::fs;
use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Instant;

use serde::Serialize;

use super::super::error::EngineError;
use super::super::setup::{Poised, Setup};
use crate::build::{BuildError, Built, Overlay, Refusal};
use crate::gate::{self, Gate, Plan, Seed, Stopped, Tally};
use crate::report::progress::{Progress, Silent};
use crate::report::record::Outcome;
use crate::sandbox::Party;
use crate::task::Task;
use crate::worker::Worker;
use corpus::Attack;

pub use card::{render, threats};
pub use clock::Gain;

/// Name and version of the JSON form.
pub const SCHEMA: &str = "speedgate.attacks/1";

/// A function that is right and at most this much faster gains nothing.
pub const NOTHING: f64 = 1.2;
/// An honest solution that is many times as fast is seen to be at least this much faster.
const SOMETHING: f64 = 2.0;

/// What became of every workspace.
#[derive(Debug, Clone, Serialize)]
pub struct ScoreCard {
    /// `speedgate.attacks/1`.
    pub schema: &'static str,
    /// Attacks that were run.
    pub attacks: usize,
    /// Those that ended without a reward, in a way in which they may.
    pub stopped: usize,
    /// Those that are known to pay, with the reason.
    pub open: usize,
    /// Honest submissions that were run.
    pub honest: usize,
    /// Those that were not let through, or not seen to be as fast as they are.
    pub harmed: usize,
    /// One for each, in order.
    pub findings: Vec<Finding>,
    /// How long it took.
    pub seconds: f64,
}

/// What became of one workspace.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// Name of the attack.
    pub name: &'static str,
    /// Its row in the catalogue; empty for an honest submission.
    pub row: &'static str,
    /// What it does.
    pub about: &'static str,
    /// The outcomes that it may have; `too-slow`: right, and not faster.
    pub ends: &'static [Outcome],
    /// The outcome that it had.
    pub outcome: Outcome,
    /// What was said; empty for a pass.
    pub message: String,
    /// How much faster each timed function is; empty where it never came to that.
    pub gains: Vec<Gain>,
    /// Why it is known to pay.
    pub open: Option<&'static str>,
    /// Whether all is as it must be.
    pub right: bool,
}

impl ScoreCard {
    /// Whether every attack was stopped or is known to be open, and nobody honest was harmed.
    pub fn sound(&self) -> bool {
        self.stopped + self.open == self.attacks && self.harmed == 0
    }

    fn of(findings: Vec<Finding>, begin: Instant) -> Self {
        let count = |which: fn(&Finding) -> bool| findings.iter().filter(|f| which(f)).count();
        ScoreCard {
            schema: SCHEMA,
            attacks: count(|f| !f.row.is_empty()),
            stopped: count(|f| !f.row.is_empty() && f.open.is_none() && f.right),
            open: count(|f| f.open.is_some() && f.right),
            honest: count(|f| f.row.is_empty()),
            harmed: count(|f| f.row.is_empty() && !f.right),
            findings,
            seconds: begin.elapsed().as_secs_f64(),
        }
    }
}

/// Name of every workspace, and whether the clock has a say in how it ends.
pub fn names() -> Vec<(&'static str, bool)> {
    corpus::all().iter().map(|attack| (attack.name, attack.is_timed())).collect()
}

/// Seed of the layout of all libraries.
const LAYOUT: u64 = 1;

/// A workspace, built, and what the gate made of it.
struct Tried {
    attack: Attack,
    built: Option<Built>,
    outcome: Outcome,
    message: String,
    gains: Vec<Gain>,
}

impl Tried {
    fn ended(attack: Attack, (outcome, message): (Outcome, String)) -> Self {
        Tried { attack, built: None, outcome, message, gains: Vec::new() }
    }

    fn judged(self) -> Finding {
        let Attack { name, row, about, ends, open, .. } = self.attack;
        let Tried { outcome, message, gains, .. } = self;
        let seen = |g: &Gain| g.speedup >= SOMETHING;
        let right = ends.contains(&outcome) && (!self.attack.gains || gains.iter().all(seen));
        Finding { name, row, about, ends, outcome, message, gains, open, right }
    }
}

/// Builds the workspaces of these names (all if there are none), puts them to the gate, and times those
/// that it lets through and that may not be faster.
///
/// # Errors
/// When there is no such workspace; when the machine can't build, run or time them. What becomes of
/// them is in the score card.
pub fn run(names: &[String], progress: &dyn Progress) -> Result<ScoreCard, EngineError> {
    let begin = Instant::now();
    let chosen = choose(names)?;
    let folder = tempfile::tempdir().map_err(system)?;
    let dir = folder.path().join("besieged");
    corpus::write_task(&dir).map_err(system)?;
    let task = Task::load(&dir)?;
    let mut setup = Setup::new(&task)?;
    let reference = setup.build("reference", Overlay::Pristine, &[LAYOUT], progress)?;
    let mut tried = at_the_gate(&setup, &reference, &chosen, folder.path(), progress)?;
    if tried.iter().any(clock::decides) {
        clock::time(&mut setup, &reference, &mut tried, progress)?;
    }
    Ok(ScoreCard::of(tried.into_iter().map(Tried::judged).collect(), begin))
}

fn choose(names: &[String]) -> Result<Vec<Attack>, EngineError> {
    let all = corpus::all();
    if names.is_empty() {
        return Ok(all);
    }
    let named = |name: &String| {
        let found = all.iter().find(|attack| attack.name == *name).copied();
        found.ok_or_else(|| EngineError::NoAttack { name: name.clone() })
    };
    names.iter().map(named).collect()
}

/// Puts them to the gate, one after the other; the next ones are built meanwhile.
fn at_the_gate(
    setup: &Setup<'_>,
    reference: &Built,
    chosen: &[Attack],
    folder: &Path,
    progress: &dyn Progress,
) -> Result<Vec<Tried>, EngineError> {
    progress.stage("building attacks and putting them to the gate", Some(chosen.len() as u64));
    let (send, built) = sync_channel(2);
    std::thread::scope(|scope| {
        scope.spawn(move || build(setup, chosen, &folder.join("workspace"), &send));
        let (mut oracle, _) = setup.oracle(reference, progress)?;
        let _poised = Poised::take(setup);
        let mut tried = Vec::with_capacity(chosen.len());
        for (&attack, done) in chosen.iter().zip(1..) {
            let one = examine(setup, attack, &built, &mut oracle)?;
            if one.outcome != Outcome::Pass && !attack.ends.contains(&one.outcome) {
                progress.note(&format!("{}: {}. {}", attack.name, one.outcome, one.message));
            }
            tried.push(one);
            progress.done(done);
        }
        Ok(tried)
    })
}

type Ready = Result<Result<Built, (Outcome, String)>, EngineError>;

/// Builds them in turn, until nobody wants any more.
fn build(setup: &Setup<'_>, chosen: &[Attack], dir: &Path, send: &SyncSender<Ready>) {
    for attack in chosen {
        let built = build_one(setup, attack, dir);
        // The listener is gone only after an error of its own.
        if send.send(built).is_err() {
            return;
        }
    }
}

fn build_one(setup: &Setup<'_>, attack: &Attack, dir: &Path) -> Ready {
    corpus::write_workspace(dir, attack).map_err(system)?;
    let built = setup.build("candidate", Overlay::Workspace(dir), &[LAYOUT], &Silent);
    fs::remove_dir_all(dir).map_err(system)?;
    match built {
        Ok(built) => Ok(Ok(built)),
        Err(BuildError::Candidate { outcome, log }) => {
            let outcome = match outcome {
                Refusal::BuildFailed => Outcome::BuildFailed,
                Refusal::AuditRejected => Outcome::AuditRejected,
            };
            Ok(Err((outcome, log)))
        }
        Err(error) => Err(error.into()),
    }
}

/// Has all functions of the next built one checked.
fn examine(
    setup: &Setup<'_>,
    attack: Attack,
    built: &Receiver<Ready>,
    oracle: &mut Worker,
) -> Result<Tried, EngineError> {
    let stopped = || EngineError::Reference("building the attacks ended early".into());
    let built = match built.recv().map_err(|_| stopped())?? {
        Ok(built) => built,
        Err(refused) => return Ok(Tried::ended(attack, refused)),
    };
    let mut worker = match setup.start(Party::Candidate, built.layouts.first()) {
        Ok(worker) => worker,
        Err(fate) => return Ok(Tried::ended(attack, gate::judge(&fate, None))),
    };
    let task = setup.task;
    let gate = Gate {
        task,
        symbols: &setup.symbols,
        seed: Seed::fresh()?,
        algorithm: setup.algorithm,
        deadline: Instant::now() + clock::limit(task),
    };
    // The last step's first: that is where most attacks are. What ends with few cases ends with many.
    for &function in task.steps.iter().rev().flat_map(|step| &step.functions) {
        let cases = Plan::PRACTICE.cases(task, function);
        let end = match gate.run(&cases, oracle, &mut worker, &mut Tally::new(&|_| {})) {
            Ok(_) => continue,
            Err(Stopped::Candidate(failure)) => (failure.outcome, failure.message),
            Err(late @ Stopped::Late { .. }) => (Outcome::Incomplete, late.to_string()),
            Err(Stopped::Task(error)) => return Err(error.into()),
            Err(Stopped::NotReached { message, .. }) => (Outcome::NotReached, message),
            Err(
                failed @ (Stopped::Reference { .. }
                | Stopped::NoEntry { .. }
                | Stopped::Unknown { .. }
                | Stopped::Unreadable { .. }),
            ) => return Err(EngineError::Reference(failed.to_string())),
        };
        return Ok(Tried::ended(attack, end));
    }
    let passed = (Outcome::Pass, String::new());
    Ok(Tried { built: Some(built), ..Tried::ended(attack, passed) })
}

fn system(source: io::Error) -> EngineError {
    EngineError::System { act: "can't write the attacks".into(), source }
}
