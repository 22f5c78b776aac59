//! How the reference solution is timed again and again. What a grading finds out before the candidate is
//! timed, against the reference and in a duel, and that every output is right, is found out once; each
//! replay then has inputs, layouts and processes of its own.

use super::calibration::{Calibration, Replayed, Setting};
use super::end::{End, in_words};
use super::error::EngineError;
use super::marks::{Live, SOLUTION, say};
use super::race::{Race, Timed};
use super::setup::{Poised, Setup};
use super::trial::{Only, Trial};
use crate::build::{Built, Overlay};
use crate::gate::{self, Seed};
use crate::report::progress::Progress;
use crate::report::record::{Decide, Kind, Record};
use crate::timer::strain::Snapshot;
use crate::timer::{self, Before, Budget, CONFIDENCE};

/// What one replay of a step found.
#[derive(Debug, Clone)]
pub struct Replay {
    /// s, and by how much one of the two was ahead.
    pub found: Replayed,
    /// What it was measured with.
    pub setting: Setting,
    /// What a call takes the reference, nanoseconds, by function and profile.
    pub reference_ns: Vec<(String, f64)>,
}

/// How reference solutions are graded once more.
pub struct Rerun<'a> {
    /// Task, machine, sandbox.
    pub setup: Setup<'a>,
    /// Where to tell how far it is.
    pub progress: &'a dyn Progress,
}

/// What is found out once about a step.
struct Paced {
    /// Against the reference.
    timed: Timed,
    /// Against the solution.
    duel: Timed,
    setting: Setting,
}

impl Rerun<'_> {
    /// A quick grading of a step's solution, all outputs checked.
    pub fn look(&mut self, step: usize) -> Result<Replay, EngineError> {
        let nothing = Calibration::default();
        let trial = trial(step, Budget::PRACTICE, &nothing)?;
        let record = trial.run(&mut self.setup, self.progress)?;
        let s = record.speedup.ok_or_else(|| {
            let id = &self.setup.task.steps[step].id;
            wrong(id, &record.message)
        })?;
        let found = Replayed { ln_s: s.value.ln(), lead: 0.0 };
        Ok(Replay { found, setting: setting(&record), reference_ns: Vec::new() })
    }

    /// Each step as often as asked. All steps in turn, again and again: a machine drifts over
    /// minutes, and the replays of a step should see all of it.
    pub fn rounds(
        &mut self,
        steps: &[usize],
        count: usize,
        calibration: &Calibration,
    ) -> Result<Vec<Vec<Replay>>, EngineError> {
        let words = format!("calibrate {}", self.setup.task.name);
        let _lease = self.setup.lease_cores(&words, self.progress)?;
        let poised = Poised::take(&self.setup);
        let strain = Snapshot::take(&self.setup.cores);
        let paced = |step: &usize| self.paced(*step, calibration, &strain, &poised);
        let paced: Vec<Paced> = steps.iter().map(paced).collect::<Result<_, _>>()?;
        let mut replays = vec![Vec::with_capacity(count); steps.len()];
        for number in 0..count {
            for ((&step, paced), replays) in steps.iter().zip(&paced).zip(&mut replays) {
                let id = &self.setup.task.steps[step].id;
                self.progress.note(&format!("{id}: replay {} of {count}", number + 1));
                replays.push(self.replay(step, paced, calibration)?);
            }
        }
        Ok(replays)
    }

    /// A grading's.
    fn budget(&self) -> Budget {
        Budget::GRADE.within(self.setup.task.limits.timing_seconds as f64)
    }

    /// How a step's targets are timed against the reference and against the solution, with the control
    /// of each.
    fn paced(
        &self,
        step: usize,
        calibration: &Calibration,
        strain: &Snapshot,
        poised: &Poised,
    ) -> Result<Paced, EngineError> {
        let (setup, progress) = (&self.setup, self.progress);
        let (task, budget) = (setup.task, self.budget());
        let trial = trial(step, budget, calibration)?;
        let id = &task.steps[step].id;
        let mut record = Record::begin(
            trial.kind,
            &task.name,
            Some(id),
            Decide::PassAt,
            setup.machine(),
            trial.seed.to_string(),
        );
        record.machine.priority = Some(poised.in_words());
        let reference = trial.build_reference(setup, progress)?;
        record.build = Some(super::outline::build(&reference, None));
        let layouts = reference.layouts.len();
        let solution = trial.build_solution(setup, step, layouts, progress)?;
        let found = self.race(&reference, trial.seed, |race| {
            let mut timed = trial.pace(race, budget)?;
            trial.control(race, &mut timed, budget, strain, &mut record)?;
            let mut race = race.against(&solution, Before::default());
            let twin = trial.twin(&race, trial.overlay, budget)?;
            let timed = timed.remove(0);
            let (duel, _) =
                race.prepare_duel(&twin, &timed, budget).map_err(|end| say(SOLUTION, end))?;
            Ok((timed, duel))
        });
        let (timed, duel) = found.map_err(|end| blamed(end, id))?;
        Ok(Paced { timed, duel, setting: setting(&record) })
    }

    fn replay(
        &self,
        step: usize,
        paced: &Paced,
        calibration: &Calibration,
    ) -> Result<Replay, EngineError> {
        let (setup, progress) = (&self.setup, self.progress);
        let (task, budget) = (setup.task, self.budget());
        let budget = Budget { layouts: budget.replicates.0, ..budget };
        let trial = trial(step, budget, calibration)?;
        let reference = trial.build_reference(setup, progress)?;
        let [_, theirs, ours] = trial.layouts().map(|mut seeds| {
            seeds.truncate(reference.layouts.len());
            seeds
        });
        let build = |what, seeds: &[u64]| setup.build(what, trial.overlay, seeds, progress);
        let (one, other) = (build("reference solution", &ours)?, build("its copy", &theirs)?);
        let found = self.race(&reference, trial.seed, |race| {
            // s only says about where the mark is: some replicates will do.
            progress.stage("timing", None);
            let mut timed = [paced.timed.again()];
            race.time_own(&one, &mut timed, budget.control())?;
            let budget = budget.duel().within(task.limits.timing_seconds as f64);
            progress.stage("timing it against itself", Some(budget.seconds as u64));
            let ([timed], mut duel) = (timed, [paced.duel.again()]);
            let before = timed.results.before.clone();
            let mut race = race.against(&one, before);
            race.time_own(&other, &mut duel, budget).map_err(|end| say(SOLUTION, end))?;
            let [duel] = duel;
            let time = |(target, m): (&timer::Target, &timer::Measured)| {
                let function = &task.functions[target.function];
                let profile = &function.profiles[target.profile].name;
                (format!("{}/{profile}", function.name), m.reference_ns)
            };
            let times = timed.targets.iter().map(|(t, _)| t).zip(&timed.results.measured);
            let s = timed.estimate(task)?;
            let rival = s.rival(&duel.estimate(task)?.functions, &s.functions, CONFIDENCE)?;
            Ok((s.ln.value, rival.lead, times.map(time).collect()))
        });
        let id = &task.steps[step].id;
        let (ln_s, lead, reference_ns) = found.map_err(|end| blamed(end, id))?;
        let found = Replayed { ln_s, lead: lead.value };
        let [value, low, high] = [lead.value, lead.low, lead.high].map(|lead| 100.0 * lead.exp());
        let s = ln_s.exp();
        self.progress.note(&format!(
            "{id}: s = {s:.3}, {value:.2} % ({low:.2} - {high:.2} %) as fast as itself"
        ));
        Ok(Replay { found, setting: paced.setting.clone(), reference_ns })
    }

    /// Something to be timed against these libraries.
    fn race<T>(
        &self,
        reference: &Built,
        seed: Seed,
        run: impl FnOnce(&mut Race<'_, '_>) -> Result<T, End>,
    ) -> Result<T, End> {
        let mut oracle = self.setup.oracle(reference, self.progress)?;
        run(&mut Race::new(&self.setup, reference, &mut oracle, seed, self.progress))
    }
}

/// A grading of a step's solution, which looks at s and at nothing else.
fn trial(step: usize, budget: Budget, calibration: &Calibration) -> Result<Trial<'_>, EngineError> {
    Ok(Trial {
        kind: Kind::Grade,
        overlay: Overlay::Solution { step },
        step: Some(step),
        seed: Seed::fresh()?,
        cases: gate::Plan::PRACTICE,
        only: Only::Everything,
        budget: Some(budget),
        calibration,
        live: Live::Never,
        only_s: true,
    })
}

fn wrong(step: &str, message: &str) -> EngineError {
    EngineError::Reference(format!(
        "the reference solution of step `{step}` is not right: {message}"
    ))
}

/// What the author's own code does wrong is no candidate's fault.
fn blamed(end: End, step: &str) -> EngineError {
    match end {
        End::Error(error) => error,
        End::Verdict(end) => wrong(step, &in_words(&end.1)),
    }
}

/// What a record was measured with.
fn setting(record: &Record) -> Setting {
    let build = record.build.as_ref();
    Setting {
        cpu: record.machine.cpu.clone(),
        compiler: build.map_or(String::new(), |b| b.compiler.version.clone()),
        flags: build.map_or(Vec::new(), |b| b.flags.clone()),
        engine: record.engine.version.clone(),
        date: record.started.clone(),
    }
}
