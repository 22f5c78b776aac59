//! Attacks that are right, at the clock: few replicates, against a reference that is prepared once.
//! No duel is run here. There the solution has the reference's place: what slows it weighs more, since
//! it is faster (THREATS.md, "The claim").

use std::time::{Duration, Instant};

use serde::Serialize;

use super::super::super::calibration::Calibration;
use super::super::super::end::{End, in_words};
use super::super::super::error::EngineError;
use super::super::super::marks::Live;
use super::super::super::outline;
use super::super::super::race::{Race, Timed};
use super::super::super::setup::{Poised, Setup};
use super::super::super::trial::{Only, Trial};
use super::{NOTHING, Tried};
use crate::build::{Built, Overlay};
use crate::gate::{self, Seed};
use crate::report::progress::Progress;
use crate::report::record::{Decide, Kind, Outcome, Record};
use crate::sandbox::Party;
use crate::task::Task;
use crate::timer::{self, Budget};

/// Enough to tell nothing from something.
const BUDGET: Budget =
    Budget { replicates: (3, 3), seconds: 0.6, width: 0.0, replicate: 0.2, layouts: 1 };

/// How much faster a function seems to be.
#[derive(Debug, Clone, Serialize)]
pub struct Gain {
    /// The function.
    pub function: String,
    /// Time of the reference over its own.
    pub speedup: f64,
    /// What somebody could gain who is not faster: as every report prints it, a share of the time.
    pub margin: f64,
    /// What the timer said of it, if anything.
    pub note: Option<String>,
}

/// Whether the clock has to say how this one ends.
pub(super) fn decides(tried: &Tried) -> bool {
    let passed = tried.outcome == Outcome::Pass && tried.built.is_some();
    passed && (!tried.attack.is_honest() || tried.attack.gains)
}

/// What all of one workspace's calls may take.
pub(super) fn limit(task: &Task) -> Duration {
    Duration::from_secs(task.limits.grade_seconds)
}

/// Times all that the clock decides on, and gives them their outcomes.
pub(super) fn time(
    setup: &mut Setup<'_>,
    reference: &Built,
    tried: &mut [Tried],
    progress: &dyn Progress,
) -> Result<(), EngineError> {
    let _lease = setup.lease_cores("selftest attacks", progress)?;
    let setup = &*setup;
    let _poised = Poised::take(setup);
    run(setup, reference, tried, progress).map_err(|end| match end {
        End::Error(error) => error,
        End::Verdict(end) => EngineError::Reference(in_words(&end.1)),
    })
}

fn run(
    setup: &Setup<'_>,
    reference: &Built,
    tried: &mut [Tried],
    progress: &dyn Progress,
) -> Result<(), End> {
    let mut oracle = setup.oracle(reference, progress)?;
    let calibration = Calibration::default();
    let seed = Seed::fresh()?;
    let trial = Trial {
        kind: Kind::Practice,
        overlay: Overlay::Pristine,
        step: Some(setup.task.steps.len() - 1),
        seed,
        cases: gate::Plan::PRACTICE,
        only: Only::Everything,
        budget: Some(BUDGET),
        calibration: &calibration,
        live: Live::Never,
        only_s: false,
    };
    let mut race = Race::new(setup, reference, &mut oracle, seed, progress);
    let mut paced = trial.pace(&mut race, BUDGET)?;
    progress.stage("timing the reference against itself", None);
    for step in &mut paced {
        race.control(reference, step, BUDGET)?;
    }
    let due: Vec<&mut Tried> = tried.iter_mut().filter(|t| decides(t)).collect();
    progress.stage("timing what the gate let through", Some(due.len() as u64));
    for (tried, done) in due.into_iter().zip(1..) {
        race.seed = Seed::fresh()?;
        race.begin = Instant::now();
        let timed = paced.iter().map(Timed::again).collect();
        match one(&mut race, tried, timed) {
            Ok(gains) => tried.gains = gains,
            Err(End::Verdict(end)) => (tried.outcome, tried.message) = (end.0, end.1.message),
            Err(End::Error(error)) => return Err(End::Error(error)),
        }
        let nothing = tried.gains.iter().all(|gain| gain.speedup <= NOTHING);
        if tried.outcome == Outcome::Pass && nothing && !tried.attack.is_honest() {
            tried.outcome = Outcome::TooSlow;
        }
        if !tried.attack.ends.contains(&tried.outcome) {
            let Tried { attack, outcome, message, gains, .. } = &*tried;
            progress.note(&format!("{}: {outcome}. {message} {gains:?}", attack.name));
        }
        progress.done(done);
    }
    Ok(())
}

/// Times one workspace.
fn one(race: &mut Race<'_, '_>, tried: &Tried, mut timed: Vec<Timed>) -> Result<Vec<Gain>, End> {
    let Some(built) = &tried.built else { return Ok(Vec::new()) };
    let task = race.setup.task;
    race.time(built, Party::Candidate, &mut timed, BUDGET).map_err(End::into_verdict)?;
    let mut record = Record::begin(
        Kind::Practice,
        &task.name,
        None,
        Decide::PassAt,
        race.setup.machine(),
        race.seed.to_string(),
    );
    for step in timed {
        let functions = timer::functions_of(&step.targets);
        record.functions.extend(functions.into_iter().map(|f| outline::function(task, f)));
        let measured = timer::estimates(task, &step.targets, &step.results)?;
        outline::times(task, &step, &measured, &mut record)?;
    }
    let gain = |f: crate::report::record::Function| {
        let (speedup, margin) = (f.speedup?.value, f.margin?);
        Some(Gain { function: f.name, speedup, margin, note: f.message })
    };
    Ok(record.functions.into_iter().filter_map(gain).collect())
}
