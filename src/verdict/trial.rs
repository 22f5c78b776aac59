//! A trial: one candidate against the reference. Everything that may disqualify the machine is decided
//! before the candidate's library is first mapped.

use std::time::{Duration, Instant};

use rand::Rng;

use super::calibration::Calibration;
use super::end::{End, refused};
use super::error::EngineError;
use super::grading;
use super::marks::{self, Live};
use super::outline;
use super::race::{Race, Timed};
use super::score::{self, Marks};
use super::setup::{Poised, Setup};
use crate::build::{BuildError, Built, Overlay};
use crate::gate::{self, Seed};
use crate::report::noise;
use crate::report::progress::Progress;
use crate::report::record::{Decide, Kind, Outcome, Record, Timing};
use crate::sandbox::Party;
use crate::stats::StepEstimate;
use crate::task;
use crate::timer::strain::Snapshot;
use crate::timer::{self, Budget, CONFIDENCE};

/// What is tried.
#[derive(Debug)]
pub struct Trial<'a> {
    /// Which command asks.
    pub kind: Kind,
    /// The candidate.
    pub overlay: Overlay<'a>,
    /// The step that is asked for; none for all.
    pub step: Option<usize>,
    /// Seed of all inputs.
    pub seed: Seed,
    /// Cases of the gate.
    pub cases: gate::Plan,
    /// What is checked of that.
    pub only: Only,
    /// What timing may take; none: outputs only.
    pub budget: Option<Budget>,
    /// The task's marks.
    pub calibration: &'a Calibration,
    /// When the candidate is timed against the reference solution, too.
    pub live: Live,
    /// Whether only s is wanted: neither times of secrets nor counters are looked at.
    pub only_s: bool,
}

/// What is checked of the functions of a step and of all before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Only {
    /// All of them.
    Everything,
    /// These (indices), of which whoever asks is working on.
    Functions(Vec<usize>),
    /// These calls, in order: a replay.
    Calls(Vec<gate::Case>),
}

/// Layouts that are linked however long that takes, and what linking one side's may take if there
/// are to be more.
const FEW_LAYOUTS: usize = 8;
const LINKING: Duration = Duration::from_secs(2);

/// Speedup that is assumed of a step's solution while it has no calibration.
const ASSUMED_MARK: f64 = 4.0;

impl Trial<'_> {
    /// Runs the trial. An `Err` is nobody's verdict; the candidate's failures are in the record.
    pub fn run(
        &self,
        setup: &mut Setup<'_>,
        progress: &dyn Progress,
    ) -> Result<Record, EngineError> {
        let begin = Instant::now();
        let task = setup.task;
        let name = self.step.map(|s| task.steps[s].id.as_str());
        let decide = match task.decide {
            task::Decide::PassAt => Decide::PassAt,
            task::Decide::SRef => Decide::SRef,
        };
        let machine = setup.machine();
        let mut record =
            Record::begin(self.kind, &task.name, name, decide, machine, self.seed.to_string());
        record.capabilities = setup.capabilities();
        let functions = self.plan(task);
        record.functions = functions.iter().map(|&f| outline::function(task, f)).collect();
        let attempt = self.attempt(setup, &functions, &mut record, progress).and_then(|timed| {
            let concluded = self.conclude(task, timed, &mut record);
            concluded.map_err(|error| End::from(error).into_verdict())
        });
        match attempt {
            Ok(()) => {}
            Err(End::Error(error)) => return Err(error),
            Err(End::Verdict(end)) => {
                let (outcome, failure) = *end;
                record.outcome = outcome;
                // What could not be finished says nothing of the outputs, and is odd enough for a
                // person to look at.
                record.correct = (outcome != Outcome::Incomplete).then_some(false);
                record.needs_human = outcome == Outcome::Incomplete;
                record.message.clone_from(&failure.message);
                if let Some(f) =
                    record.functions.iter_mut().find(|f| failure.function.as_ref() == Some(&f.name))
                {
                    f.outcome = Some(outcome);
                    f.message = Some(failure.message.clone());
                }
                record.failure = Some(failure);
            }
        }
        record.seconds = begin.elapsed().as_secs_f64();
        Ok(record)
    }

    /// What is run, as whoever waits for our cores sees it: `grade toy 01-counting`.
    fn in_words(&self, task: &task::Task) -> String {
        let kind = match self.kind {
            Kind::Grade => "grade",
            Kind::Practice => "practice",
            Kind::Check => "check",
        };
        let step = self.step.map_or(String::new(), |s| format!(" {}", task.steps[s].id));
        format!("{kind} {}{step}", task.name)
    }

    /// Functions whose outputs are checked: those of the step and of all before it, unless only some
    /// are asked for.
    fn plan(&self, task: &task::Task) -> Vec<usize> {
        match &self.only {
            Only::Calls(cases) => grading::functions_of(cases),
            Only::Functions(functions) => functions.clone(),
            Only::Everything => {
                task.functions_up_to(self.step.unwrap_or(task.steps.len().saturating_sub(1)))
            }
        }
    }

    /// The reference in all layouts, or in as many as don't take too long to link.
    pub(super) fn build_reference(
        &self,
        setup: &Setup<'_>,
        progress: &dyn Progress,
    ) -> Result<Built, BuildError> {
        let [seeds, ..] = self.layouts();
        let build = |seeds: &[u64]| setup.build("reference", Overlay::Pristine, seeds, progress);
        let few = build(&seeds[..seeds.len().min(FEW_LAYOUTS)])?;
        let affordable = (LINKING.as_secs_f64() / few.link.as_secs_f64().max(1e-6)) as usize;
        if affordable <= few.layouts.len() || seeds.len() <= few.layouts.len() {
            return Ok(few);
        }
        build(&seeds[..affordable.min(seeds.len())])
    }

    fn attempt(
        &self,
        setup: &mut Setup<'_>,
        functions: &[usize],
        record: &mut Record,
        progress: &dyn Progress,
    ) -> Result<Vec<Timed>, End> {
        let most = setup.task.limits.timing_seconds as f64;
        let budget = self.budget.map(|budget| budget.within(most));
        let reference = self.build_reference(setup, progress)?;
        let theirs = &self.layouts()[1][..reference.layouts.len()];
        let candidate =
            setup.build("candidate", self.overlay, theirs, progress).map_err(refused)?;
        let calibrated = budget.is_some() && self.calibrated(record).is_some();
        if let Some(step) = self.step.filter(|_| calibrated && self.live != Live::Never) {
            // What may be wrong with it is the task's, and compiling, unlike linking its layouts, takes no
            // time of the grading's.
            self.build_solution(setup, step, 1, progress)?;
        }
        record.build = Some(outline::build(&reference, Some(&candidate)));
        record.ignored_edits.clone_from(&candidate.ignored);
        record.reuse = outline::reuse(setup.task, &candidate);

        // Whoever times nothing disturbs nobody: without a lease, and without priority.
        let _lease = match budget {
            Some(_) => Some(setup.lease_cores(&self.in_words(setup.task), progress)?),
            None => None,
        };
        let setup = &*setup;
        setup.seat(&mut record.machine);
        let poised = Poised::take(setup);
        record.machine.priority = Some(poised.in_words());
        let begin = Instant::now();
        let strain = Snapshot::take(&setup.cores);
        let mut oracle = setup.oracle(&reference, progress)?;
        let mut race = Race::new(setup, &reference, &mut oracle, self.seed, progress);
        race.begin = begin;
        let mut timed = Vec::new();
        if let Some(budget) = budget {
            timed = self.pace(&mut race, budget)?;
            self.control(&mut race, &mut timed, budget, &strain, record)?;
            self.find_marks(record);
        }
        // From here on candidate code runs, and nothing odd buys another try.
        self.check(&mut race, functions, &candidate, record).map_err(End::into_verdict)?;
        if let Some(budget) = budget {
            if !self.only_s {
                race.secrets(functions, &candidate, record).map_err(End::into_verdict)?;
            }
            self.time(&mut race, &candidate, &mut timed, budget, record)
                .map_err(End::into_verdict)?;
            if !self.only_s {
                progress.stage("counting", None);
                record.counters = race.count(&candidate, &timed).map_err(End::into_verdict)?;
            }
            record.noise = noise::rank(&strain.since(&setup.cores).of_record(record));
        }
        Ok(timed)
    }

    /// Times the candidate, and once more against the reference solution where the calibration can't
    /// tell.
    fn time(
        &self,
        race: &mut Race<'_, '_>,
        candidate: &Built,
        timed: &mut [Timed],
        budget: Budget,
        record: &mut Record,
    ) -> Result<(), End> {
        race.progress.stage("timing", Some(budget.seconds as u64 * timed.len() as u64));
        race.time(candidate, Party::Candidate, timed, budget)?;
        if let [only] = timed {
            let s = only.estimate(race.setup.task)?;
            if let Some(calibrated) = self.needs_duel(record, s.speedup()) {
                self.duel(race, calibrated, candidate, only, budget, record)?;
            }
        }
        Ok(())
    }

    /// Seeds of the layouts of the reference, the candidate and the reference solution: fresh ones
    /// where inputs are hidden, else the same ones each time, which the cache then has.
    pub(super) fn layouts(&self) -> [Vec<u64>; 3] {
        let count = self.budget.map_or(1, |b| b.layouts);
        let mut rng = self.seed.stream("layout", "", 0);
        // lld takes seeds of 31 bits.
        let mut seeds = || (0..count).map(|_| u64::from(rng.next_u32() >> 1)).collect();
        [seeds(), seeds(), seeds()]
    }

    /// Fixes how each target will be timed, from the reference alone.
    pub(super) fn pace(&self, race: &mut Race<'_, '_>, budget: Budget) -> Result<Vec<Timed>, End> {
        let task = race.setup.task;
        race.progress.stage("timing the reference alone", None);
        let steps = self.step.map_or(0..task.steps.len(), |s| s..s + 1);
        let mark = |step: usize| self.calibration.marks(&task.steps[step].id);
        steps
            .map(|step| race.pace(step, mark(step).map_or(ASSUMED_MARK, |m| m.s_ref), budget))
            .collect()
    }

    /// Everything was right: the times decide.
    fn conclude(
        &self,
        task: &task::Task,
        timed: Vec<Timed>,
        record: &mut Record,
    ) -> Result<(), EngineError> {
        record.correct = Some(true);
        record.outcome = Outcome::Pass;
        record.message = "every output is right".into();
        if !timed.is_empty() {
            let seconds = timed.iter().map(|t| t.results.seconds).sum();
            let inside = timed.iter().map(|t| t.results.inside).sum();
            record.timing = Some(Timing { seconds, inside });
        }
        for step in timed {
            let id = &task.steps[step.step].id;
            let measured = timer::estimates(task, &step.targets, &step.results)?;
            outline::times(task, &step, &measured, record)?;
            let estimate = StepEstimate::of_functions(measured, CONFIDENCE)?;
            let marks = match (record.s_ref, record.pass_at) {
                (Some(s_ref), Some(pass_at)) => Some(Marks { s_ref, pass_at }),
                // Over all steps nothing was decided: the marks are for orientation.
                _ => self.calibration.marks(id),
            };
            let mut score = outline::step(id, &estimate, marks, record.decide);
            let calibrated = self.calibration.step.get(id);
            let mut why = calibrated.and_then(|c| c.cant_tell(estimate.speedup(), record));
            if let Some(live) = &record.live_marks {
                (score.confident, why) = (live.confident, None);
            } else if why.is_some() {
                (score.fast, score.confident) = (None, None);
            }
            if self.step.is_some() {
                marks::hold(estimate.speedup(), record.decide, record);
                record.speedup = Some(score.speedup);
                (record.fast, record.confident) = (score.fast, score.confident);
                record.floor_bias = Some(estimate.floor_bias());
                record.outcome = score::outcome(score.fast);
                record.message = outline::sentence(&score, record.decide, why);
            }
            record.steps.push(score);
        }
        if self.kind == Kind::Grade {
            record.reward = Some(score::reward(true, record.fast == Some(true)));
        }
        Ok(())
    }
}
