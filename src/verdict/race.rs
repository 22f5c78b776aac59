//! The common ground while something is timed: the reference, its oracle, the time that is left.

use std::time::{Duration, Instant};

use super::end::{End, broken, fell, halted, in_words, trusted};
use super::error::EngineError;
use super::outline;
use super::setup::Setup;
use crate::build::{Built, Library};
use crate::gate::Seed;
use crate::report::progress::Progress;
use crate::report::record::Counters;
use crate::sandbox::Party;
use crate::stats::{FunctionEstimate, StatsError, StepEstimate};
use crate::task::Task;
use crate::timer::{
    self, Before, Boards, Broken, Budget, CONFIDENCE, Contest, Forge, Measured, Pace, Results,
    Sides, Target, calibrate, correct, count, recount,
};
use crate::worker::Worker;

/// What every contest of a trial shares.
pub struct Race<'r, 't> {
    /// Task, machine, sandbox.
    pub setup: &'r Setup<'t>,
    /// Those that have the reference's place.
    pub reference: &'r Built,
    /// Answers, never timed.
    pub oracle: &'r mut Worker,
    /// What the oracle has loaded: with code of the task's own where there is any.
    pub oracle_library: &'r Library,
    /// Seed of all inputs.
    pub seed: Seed,
    /// When calls began to be made.
    pub begin: Instant,
    /// Where to tell how far it is.
    pub progress: &'r dyn Progress,
    /// Where another library has the reference's place, what that takes before the clock: budgets stay
    /// multiples of the reference's own time.
    pub stand_in: Option<Before>,
}

impl<'r, 't> Race<'r, 't> {
    /// A race against `reference` that begins now; `oracle` is what `Setup::oracle` gives.
    pub fn new(
        setup: &'r Setup<'t>,
        reference: &'r Built,
        oracle: &'r mut (Worker, Library),
        seed: Seed,
        progress: &'r dyn Progress,
    ) -> Self {
        let (oracle, oracle_library) = oracle;
        let (begin, stand_in) = (Instant::now(), None);
        Race { setup, reference, oracle, oracle_library, seed, begin, progress, stand_in }
    }

    /// When the grading must be over.
    pub fn deadline(&self) -> Instant {
        self.begin + Duration::from_secs(self.setup.task.limits.grade_seconds)
    }

    /// Makes the inputs.
    pub fn forge(&self) -> Forge<'r> {
        let Setup { task, symbols, algorithm, .. } = self.setup;
        Forge { task, symbols, seed: self.seed, algorithm: *algorithm }
    }

    /// Times `theirs` against the reference; its workers run under the user of `party`.
    pub fn time(
        &mut self,
        theirs: &Built,
        party: Party,
        timed: &mut [Timed],
        budget: Budget,
    ) -> Result<(), End> {
        let setup = self.setup;
        let forge = self.forge();
        for step in timed {
            let (targets, deadline) = (&step.targets[..], self.deadline());
            let reference = self.reference;
            let layouts = reference.layouts.len().min(theirs.layouts.len());
            let stand_in = self.stand_in.as_ref();
            let contest = Contest { forge: &forge, targets, budget, layouts, deadline, stand_in };
            let start = |number: usize| start(setup, [reference, theirs], party, number % layouts);
            let tell = |spent: Duration| self.progress.done(spent.as_secs());
            step.results =
                contest.run(self.oracle, start, &tell).map_err(|halt| halted(halt, setup.task))?;
            step.correct();
        }
        Ok(())
    }

    /// The same race with another library of the author's in the reference's place, and with inputs of
    /// its own; `before` is what that library takes before the clock.
    pub fn against<'s>(&'s mut self, library: &'s Built, before: Before) -> Race<'s, 't> {
        Race {
            reference: library,
            oracle: &mut *self.oracle,
            seed: self.seed.derived("another race"),
            stand_in: Some(before),
            ..*self
        }
    }

    /// Fixes how each target of a step will be timed, from the reference alone. `mark` is the speedup
    /// that a candidate has to reach.
    pub fn pace(&mut self, step: usize, mark: f64, budget: Budget) -> Result<Timed, End> {
        let (setup, deadline, forge) = (self.setup, self.deadline(), self.forge());
        let task = setup.task;
        let mut reference =
            setup.start(Party::Reference, self.reference.layouts.first()).map_err(trusted)?;
        let mut blank = setup.start(Party::Blank, None).map_err(trusted)?;
        let mut targets = Vec::new();
        let mut paces = Vec::new();
        for &function in &task.steps[step].functions {
            for profile in 0..task.functions[function].profiles.len() {
                let target = Target { function, profile };
                let workers = [&mut *self.oracle, &mut reference, &mut blank];
                let pace = calibrate(&forge, target, mark, workers, deadline);
                paces.push(pace.map_err(|b| broken(b, None))?);
                targets.push(target);
            }
        }
        budget.share(&mut paces);
        Ok(Timed::new(step, targets.into_iter().zip(paces).collect()))
    }

    /// Times the reference against its copy, and gives each target the blocks that its scatter asks
    /// for.
    pub fn control(
        &mut self,
        twin: &Built,
        timed: &mut Timed,
        budget: Budget,
    ) -> Result<Vec<FunctionEstimate>, End> {
        let task = self.setup.task;
        let mut control = [timed.again()];
        self.time_own(twin, &mut control, budget.control())?;
        let [Timed { targets, results, .. }] = control;
        let found = timer::estimates(task, &targets, &results)?;
        budget.spend(task, &mut timed.targets, &results.measured);
        timed.control = results.measured;
        Ok(found)
    }

    /// Fixes how often each target of `timed` is called where the solution has the reference's place, and
    /// times that against its copy: what that found comes second.
    pub fn prepare_duel(
        &mut self,
        twin: &Built,
        timed: &Timed,
        budget: Budget,
    ) -> Result<(Timed, Vec<FunctionEstimate>), End> {
        self.progress.stage("timing the reference solution alone and against its copy", None);
        let (setup, deadline, forge) = (self.setup, self.deadline(), self.forge());
        let mut worker =
            setup.start(Party::Reference, self.reference.layouts.first()).map_err(trusted)?;
        let mut paces = Vec::new();
        for (target, pace) in &timed.targets {
            let workers = [&mut *self.oracle, &mut worker];
            let pace = recount(&forge, *target, pace, workers, deadline);
            paces.push(pace.map_err(|b| broken(b, None))?);
        }
        drop(worker);
        budget.share(&mut paces);
        let targets = timed.targets.iter().map(|(target, _)| *target).zip(paces).collect();
        let mut duel = Timed::new(timed.step, targets);
        let control = self.control(twin, &mut duel, budget)?;
        Ok((duel, control))
    }

    /// Has both sides make some calls more while counters run: nothing of it counts as time. What
    /// can't be counted is absent with a reason; wrong answers count as ever.
    pub fn count(&mut self, theirs: &Built, timed: &[Timed]) -> Result<Counters, End> {
        let setup = self.setup;
        let (forge, deadline) = (self.forge(), self.deadline());
        // Asleep until the bell rings: what it counts while it waits would drown short calls.
        let start = |party, built: &Built| setup.start_waiting(party, built.layouts.first(), false);
        let mut sides = Sides {
            oracle: &mut *self.oracle,
            reference: start(Party::Reference, self.reference).map_err(trusted)?,
            candidate: start(Party::Candidate, theirs).map_err(fell)?,
            blank: setup.start_waiting(Party::Blank, None, false).map_err(trusted)?,
        };
        let mut boards = Boards::open(&sides);
        let mut functions = Vec::new();
        for step in timed {
            for ((target, pace), measured) in step.targets.iter().zip(&step.results.measured) {
                let counted = count(&forge, *target, pace, &mut sides, &mut boards, deadline);
                match counted {
                    Ok(Some(counted)) => {
                        functions.push(outline::counts(setup.task, *target, &counted, measured));
                    }
                    Ok(None) => {}
                    // The times are complete; only this is cut short.
                    Err(Broken::Late) => {
                        let reason = "the grading's time was over before calls could be counted";
                        return Ok(Counters::Absent { reason: reason.into() });
                    }
                    Err(why) => {
                        let name = &setup.task.functions[target.function].name;
                        return Err(broken(why, Some(name)));
                    }
                }
            }
        }
        Ok(Counters::Counted { events: boards.events().to_vec(), functions })
    }

    /// Times code of the author's own: what it does wrong is no candidate's fault.
    pub fn time_own(
        &mut self,
        theirs: &Built,
        timed: &mut [Timed],
        budget: Budget,
    ) -> Result<(), End> {
        self.time(theirs, Party::Reference, timed, budget).map_err(ours)
    }
}

/// A replicate's workers, stopped: the reference's, theirs and the blank one. Layouts are used in
/// turn, the same pairs each time round.
fn start(
    setup: &Setup<'_>,
    [reference, theirs]: [&Built; 2],
    party: Party,
    layout: usize,
) -> Result<[Worker; 3], End> {
    Ok([
        setup.start(Party::Reference, reference.layouts.get(layout)).map_err(trusted)?,
        setup.start(party, theirs.layouts.get(layout)).map_err(fell)?,
        setup.start(Party::Blank, None).map_err(trusted)?,
    ])
}

/// What code of the author's own does wrong is no candidate's fault.
fn ours(end: End) -> End {
    match end {
        End::Verdict(end) => End::Error(EngineError::Reference(in_words(&end.1))),
        error => error,
    }
}

/// A step with the targets to time.
pub struct Timed {
    /// Index of the step.
    pub step: usize,
    /// Its functions' profiles.
    pub targets: Vec<(Target, Pace)>,
    /// What was measured of each; empty before.
    pub results: Results,
    /// What the control measured of each; empty before.
    pub control: Vec<Measured>,
    /// By how much (ln) the reference was slowed in each, which is off `results` already; empty
    /// without control, none where it can't be known.
    pub slowed: Vec<Option<f64>>,
}

impl Timed {
    /// These targets of a step, neither timed nor controlled yet.
    fn new(step: usize, targets: Vec<(Target, Pace)>) -> Self {
        let (results, control, slowed) = (Results::default(), Vec::new(), Vec::new());
        Timed { step, targets, results, control, slowed }
    }

    /// The same targets with the same control, not timed yet.
    pub fn again(&self) -> Self {
        Timed { control: self.control.clone(), ..Timed::new(self.step, self.targets.clone()) }
    }

    /// Takes off what the reference was slowed by.
    fn correct(&mut self) {
        let both = self.results.measured.iter_mut().zip(&self.control);
        self.slowed = both.map(|(measured, control)| correct(measured, control)).collect();
    }

    /// What was measured of the step.
    pub fn estimate(&self, task: &Task) -> Result<StepEstimate, StatsError> {
        StepEstimate::of_functions(
            timer::estimates(task, &self.targets, &self.results)?,
            CONFIDENCE,
        )
    }
}
