//! A trial: one candidate against the reference. Everything that may disqualify the machine or
//! the task is decided before the candidate's library is first mapped.

use std::time::{Duration, Instant};

use rand::Rng;

use super::calibration::Calibration;
use super::error::EngineError;
use super::outline;
use super::score::{self, Marks};
use super::setup::{Poised, Setup};
use crate::build::{BuildError, Built, Overlay, Refusal};
use crate::gate::{self, Gate, Seed, Stopped};
use crate::report::progress::Progress;
use crate::report::record::{Decide, Failure, Kind, MarkSource, Outcome, Record};
use crate::sandbox::Party;
use crate::stats::StepEstimate;
use crate::task;
use crate::timer::{
    self, Broken, Budget, CONFIDENCE, Contest, Forge, Halt, Pace, Results, Target, calibrate,
};
use crate::worker::{Fate, Worker};

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
    /// What timing may take; none: outputs only.
    pub budget: Option<Budget>,
    /// The task's marks.
    pub calibration: &'a Calibration,
}

/// Speedup that is assumed of a step's solution while it has no calibration.
const ASSUMED_MARK: f64 = 4.0;

/// Blocks a replicate of the control.
const CONTROL_BLOCKS: usize = 2;

/// What ends a trial early.
enum End {
    /// The candidate is to blame.
    Verdict(Box<(Outcome, Failure)>),
    /// Something else is.
    Error(EngineError),
}

impl<E: Into<EngineError>> From<E> for End {
    fn from(error: E) -> Self {
        End::Error(error.into())
    }
}

impl End {
    /// After candidate code was mapped everything is a verdict: it may have had a hand in it.
    fn into_verdict(self) -> Self {
        match self {
            End::Error(error) => verdict(Outcome::Incomplete, None, error.to_string()),
            End::Verdict(mut end) => {
                if !end.0.is_verdict() {
                    end.0 = Outcome::Incomplete;
                }
                End::Verdict(end)
            }
        }
    }
}

/// The two sides' common ground while something is timed.
struct Race<'r, 't> {
    setup: &'r Setup<'t>,
    reference: &'r Built,
    oracle: &'r mut Worker,
    begin: Instant,
    progress: &'r dyn Progress,
}

impl Race<'_, '_> {
    /// When the grading must be over.
    fn deadline(&self) -> Instant {
        self.begin + Duration::from_secs(self.setup.task.limits.grade_seconds)
    }
}

/// A step with the targets to time.
struct Timed {
    step: usize,
    targets: Vec<(Target, Pace)>,
    results: Results,
}

impl Timed {
    /// The same targets, not timed yet.
    fn again(&self) -> Self {
        Timed { step: self.step, targets: self.targets.clone(), results: Results::new() }
    }
}

impl Trial<'_> {
    /// Runs the trial. An `Err` is nobody's verdict; the candidate's failures are in the record.
    pub fn run(&self, setup: &Setup<'_>, progress: &dyn Progress) -> Result<Record, EngineError> {
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

    /// Functions whose outputs are checked: those of the step and of all before it.
    fn plan(&self, task: &task::Task) -> Vec<usize> {
        task.functions_up_to(self.step.unwrap_or(task.steps.len().saturating_sub(1)))
    }

    fn attempt(
        &self,
        setup: &Setup<'_>,
        functions: &[usize],
        record: &mut Record,
        progress: &dyn Progress,
    ) -> Result<Vec<Timed>, End> {
        let budget = self.budget.map(|b| {
            let most = setup.task.limits.timing_seconds as f64;
            Budget { seconds: b.seconds.min(most), ..b }
        });
        let (ours, theirs) = self.layouts();
        let reference = setup.build("reference", Overlay::Pristine, &ours, progress)?;
        let candidate =
            setup.build("candidate", self.overlay, &theirs, progress).map_err(refused)?;
        record.build = Some(outline::build(&reference, Some(&candidate)));
        record.ignored_edits.clone_from(&candidate.ignored);

        let poised = Poised::take(&setup.cores);
        record.machine.priority = Some(poised.in_words());
        let begin = Instant::now();
        let mut oracle = setup.start(Party::Oracle, reference.layouts.first()).map_err(trusted)?;
        let mut race = Race { setup, reference: &reference, oracle: &mut oracle, begin, progress };
        let mut timed = Vec::new();
        if let Some(budget) = budget {
            timed = self.pace(&mut race, budget)?;
            self.control(&mut race, &timed, budget, record)?;
            self.find_marks(&mut race, &timed, budget, record)?;
        }
        // From here on candidate code runs, and nothing odd buys another try.
        self.check(&mut race, functions, &candidate, record).map_err(End::into_verdict)?;
        if let Some(budget) = budget {
            progress.stage("timing", Some(budget.seconds as u64 * timed.len() as u64));
            self.time(&mut race, &candidate, Party::Candidate, &mut timed, budget)
                .map_err(End::into_verdict)?;
        }
        Ok(timed)
    }

    /// The marks that a step is held against. A calibration holds for the processor it was made
    /// on; on another one the reference solution is timed here and now, and its calibrated guard
    /// band kept. Candidate code is not mapped yet, so it can't have a say.
    fn find_marks(
        &self,
        race: &mut Race<'_, '_>,
        timed: &[Timed],
        budget: Budget,
        record: &mut Record,
    ) -> Result<(), End> {
        let (Some(step), [only]) = (self.step, timed) else { return Ok(()) };
        let id = &race.setup.task.steps[step].id;
        let Some(calibrated) = self.calibration.step.get(id) else { return Ok(()) };
        let mut marks = Marks { s_ref: calibrated.s_ref, pass_at: calibrated.pass_at };
        record.marks = Some(MarkSource::Calibration);
        if calibrated.setting.cpu != record.machine.cpu {
            let layouts = self.layouts().1;
            let solution = Overlay::Solution { step };
            let solution =
                race.setup.build("reference solution", solution, &layouts, race.progress)?;
            let mut live = [only.again()];
            let what = "timing the reference solution (the calibration is another processor's)";
            race.progress.stage(what, Some(budget.seconds as u64));
            self.time_own(race, &solution, &mut live, budget)?;
            let [live] = &live;
            let functions = timer::estimates(race.setup.task, &live.targets, &live.results)?;
            let s = StepEstimate::of_functions(functions, CONFIDENCE)?.speedup().value;
            marks = Marks { s_ref: s, pass_at: s * marks.pass_at / marks.s_ref };
            record.marks = Some(MarkSource::Live);
        }
        (record.s_ref, record.pass_at) = (Some(marks.s_ref), Some(marks.pass_at));
        Ok(())
    }

    /// Seeds of the layouts of both sides: fresh ones where inputs are hidden, else the same ones
    /// each time, which the cache then has.
    fn layouts(&self) -> (Vec<u64>, Vec<u64>) {
        let count = self.budget.map_or(1, |b| b.layouts);
        let mut rng = self.seed.stream("layout", "", 0);
        // lld takes seeds of 31 bits.
        let mut seeds = || (0..count).map(|_| u64::from(rng.next_u32() >> 1)).collect();
        (seeds(), seeds())
    }

    /// Fixes how each target will be timed, from the reference alone.
    fn pace(&self, race: &mut Race<'_, '_>, budget: Budget) -> Result<Vec<Timed>, End> {
        let (setup, reference, deadline) = (race.setup, race.reference, race.deadline());
        let task = setup.task;
        let forge = self.forge(setup);
        let steps = self.step.map_or(0..task.steps.len(), |s| s..s + 1);
        race.progress.stage("timing the reference alone", None);
        let mut worker =
            setup.start(Party::Reference, reference.layouts.first()).map_err(trusted)?;
        let mut blank = setup.start(Party::Blank, None).map_err(trusted)?;
        let mut all = Vec::new();
        for step in steps {
            let mark =
                self.calibration.marks(&task.steps[step].id).map_or(ASSUMED_MARK, |m| m.s_ref);
            let mut targets = Vec::new();
            for &function in &task.steps[step].functions {
                for profile in 0..task.functions[function].profiles.len() {
                    let target = Target { function, profile };
                    let workers = [&mut *race.oracle, &mut worker, &mut blank];
                    let pace = calibrate(&forge, target, mark, workers, deadline);
                    targets.push((target, pace.map_err(|b| broken(b, None))?));
                }
            }
            let mut paces: Vec<Pace> = targets.iter().map(|t| t.1).collect();
            budget.share(&mut paces);
            targets.iter_mut().zip(paces).for_each(|(t, p)| t.1 = p);
            all.push(Timed { step, targets, results: Results::new() });
        }
        Ok(all)
    }

    /// The gate over all functions of the plan.
    fn check(
        &self,
        race: &mut Race<'_, '_>,
        functions: &[usize],
        candidate: &Built,
        record: &mut Record,
    ) -> Result<(), End> {
        let (setup, progress) = (race.setup, race.progress);
        let task = setup.task;
        let gate = Gate {
            task,
            symbols: &setup.symbols,
            seed: self.seed,
            algorithm: setup.algorithm,
            deadline: race.deadline(),
        };
        progress.stage("checking outputs", Some(functions.len() as u64));
        let mut worker = setup.start(Party::Candidate, candidate.layouts.first()).map_err(fell)?;
        for (done, &function) in functions.iter().enumerate() {
            let cases = self.cases.cases(task, function);
            let planned = cases.len() as u64;
            let checked =
                gate.run(&cases, race.oracle, &mut worker).map_err(|s| self.stopped(task, s))?;
            let entry = &mut record.functions[done];
            entry.checked_calls = checked;
            if checked < planned {
                let message = format!("{checked} of {planned} cases were checked");
                return Err(verdict(Outcome::Incomplete, Some(entry.name.clone()), message));
            }
            entry.outcome = Some(Outcome::Pass);
            progress.done(done as u64 + 1);
        }
        Ok(())
    }

    /// Times `theirs` against the reference; its workers run under the user of `party`.
    fn time(
        &self,
        race: &mut Race<'_, '_>,
        theirs: &Built,
        party: Party,
        timed: &mut [Timed],
        budget: Budget,
    ) -> Result<(), End> {
        let setup = race.setup;
        let forge = self.forge(setup);
        for step in timed {
            let (targets, deadline) = (&step.targets[..], race.deadline());
            let contest = Contest { forge: &forge, targets, budget, deadline };
            let reference = race.reference;
            let start = |number: usize| {
                // Each side's layouts in turn, in new pairs each time round.
                let (n, m) = (reference.layouts.len(), theirs.layouts.len());
                let ours = &reference.layouts[number % n];
                let theirs = &theirs.layouts[(number + number / n) % m];
                Ok([
                    setup.start(Party::Reference, Some(ours)).map_err(trusted)?,
                    setup.start(party, Some(theirs)).map_err(fell)?,
                    setup.start(Party::Blank, None).map_err(trusted)?,
                ])
            };
            let tell = |spent: Duration| race.progress.done(spent.as_secs());
            step.results =
                contest.run(race.oracle, start, &tell).map_err(|halt| halted(halt, setup.task))?;
        }
        Ok(())
    }

    /// Times code of the author's own: what it does wrong is no candidate's fault.
    fn time_own(
        &self,
        race: &mut Race<'_, '_>,
        theirs: &Built,
        timed: &mut [Timed],
        budget: Budget,
    ) -> Result<(), End> {
        self.time(race, theirs, Party::Reference, timed, budget).map_err(|end| match end {
            End::Verdict(end) => End::Error(EngineError::Reference(end.1.message)),
            error => error,
        })
    }

    /// The control of every run: the reference against itself, laid out as the candidate's will
    /// be. What differs there is the noise of this run.
    fn control(
        &self,
        race: &mut Race<'_, '_>,
        timed: &[Timed],
        budget: Budget,
        record: &mut Record,
    ) -> Result<(), End> {
        let setup = race.setup;
        let twin = setup.build("control", Overlay::Pristine, &self.layouts().1, race.progress)?;
        let stage = "timing the reference against itself";
        for step in timed {
            race.progress.stage(stage, None);
            let mut control = [step.again()];
            control[0].targets.iter_mut().for_each(|(_, pace)| pace.blocks = CONTROL_BLOCKS);
            self.time_own(race, &twin, &mut control, budget.control())?;
            let [control] = &control;
            let found = timer::estimates(setup.task, &control.targets, &control.results)?;
            let mut squares = 0.0;
            for (index, estimate) in timer::functions_of(&control.targets).into_iter().zip(&found) {
                let name = &setup.task.functions[index].name;
                if let Some(f) = record.functions.iter_mut().find(|f| f.name == *name) {
                    f.noise_floor = Some(estimate.ln.value.abs());
                }
                squares += estimate.ln.value.powi(2);
            }
            if self.step.is_some() {
                // s averages over its functions, whose noise is independent.
                record.noise_floor = Some(squares.sqrt() / found.len() as f64);
            }
        }
        Ok(())
    }

    fn forge<'s>(&self, setup: &'s Setup<'_>) -> Forge<'s> {
        Forge {
            task: setup.task,
            symbols: &setup.symbols,
            seed: self.seed,
            algorithm: setup.algorithm,
        }
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
        for step in timed {
            let id = &task.steps[step.step].id;
            let measured = timer::estimates(task, &step.targets, &step.results)?;
            outline::times(task, &step.targets, &step.results, &measured, record)?;
            let estimate = StepEstimate::of_functions(measured, CONFIDENCE)?;
            let marks = match (record.s_ref, record.pass_at) {
                (Some(s_ref), Some(pass_at)) => Some(Marks { s_ref, pass_at }),
                // Over all steps nothing was decided: the marks are for orientation.
                _ => self.calibration.marks(id),
            };
            let score = outline::step(id, &estimate, marks, record.decide);
            if self.step.is_some() {
                record.speedup = Some(score.speedup);
                (record.fast, record.confident) = (score.fast, score.confident);
                record.floor_bias = Some(estimate.floor_bias());
                record.outcome = score::outcome(score.fast);
                record.message = outline::sentence(&score, record.decide);
            }
            record.steps.push(score);
        }
        if self.kind == Kind::Grade {
            record.reward = Some(score::reward(true, record.fast == Some(true)));
        }
        Ok(())
    }

    fn stopped(&self, task: &task::Task, stopped: Stopped) -> End {
        match stopped {
            Stopped::Candidate(failure) => {
                let outcome = failure.outcome;
                End::Verdict(Box::new((
                    outcome,
                    outline::failure(task, *failure, self.step, self.seed),
                )))
            }
            Stopped::Late { function } => {
                let name = task.functions[function].name.clone();
                verdict(Outcome::Incomplete, Some(name), stopped.to_string())
            }
            Stopped::Task(error) => End::Error(error.into()),
            Stopped::Reference { .. } => End::Error(EngineError::Reference(stopped.to_string())),
        }
    }
}

fn verdict(outcome: Outcome, function: Option<String>, message: String) -> End {
    End::Verdict(Box::new((outcome, outline::plain_failure(function, message))))
}

/// A build that is the candidate's fault is a verdict.
fn refused(error: BuildError) -> End {
    match error {
        BuildError::Candidate { outcome, log } => {
            let (outcome, message) = match outcome {
                Refusal::BuildFailed => (Outcome::BuildFailed, "the candidate does not build"),
                Refusal::AuditRejected => {
                    (Outcome::AuditRejected, "the candidate's library holds what it must not")
                }
            };
            let mut failure = outline::plain_failure(None, message.into());
            failure.log = Some(log);
            End::Verdict(Box::new((outcome, failure)))
        }
        other => End::Error(other.into()),
    }
}

/// A worker without candidate code failed.
fn trusted(fate: Fate) -> End {
    End::Error(EngineError::Reference(fate.to_string()))
}

/// The candidate's worker could not be started.
fn fell(fate: Fate) -> End {
    let (outcome, message) = gate::judge(&fate, None);
    verdict(outcome, None, format!("while its library was loaded: {message}"))
}

/// A contest ended early.
fn halted(halt: Halt<End>, task: &task::Task) -> End {
    let name = |f: usize| task.functions[f].name.clone();
    match halt {
        Halt::Start(end) => end,
        Halt::Broken { function, broken: why } => broken(why, Some(&name(function))),
        Halt::Unmeasured { function, why } => {
            verdict(Outcome::Incomplete, Some(name(function)), why.to_string())
        }
        Halt::Stats(error) => End::Error(error.into()),
    }
}

/// A measurement stopped. `function` is absent while no candidate code is mapped.
fn broken(broken: Broken, function: Option<&String>) -> End {
    let message = broken.to_string();
    match (broken, function) {
        (Broken::Candidate(fate), _) => {
            let (outcome, message) = gate::judge(&fate, None);
            verdict(outcome, function.cloned(), format!("in a timed call: {message}"))
        }
        (Broken::Wrong { .. }, _) => {
            verdict(Outcome::WrongOutput, function.cloned(), format!("in a timed call: {message}"))
        }
        (Broken::Task(error), _) => End::Error(error.into()),
        (Broken::Late, _) => verdict(Outcome::Incomplete, function.cloned(), message),
        (Broken::Unfit, _) => End::Error(EngineError::UnfitMachine { reason: message }),
        // Once candidate code was mapped, nothing odd buys another try.
        (Broken::Reference(_) | Broken::Unsteady, Some(name)) => {
            verdict(Outcome::Incomplete, Some(name.clone()), message)
        }
        (Broken::Reference(_) | Broken::Unsteady, None) => {
            End::Error(EngineError::Reference(message))
        }
    }
}
