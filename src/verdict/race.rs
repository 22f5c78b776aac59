//! The common ground while something is timed: the reference, its oracle, the time that is left.

use std::time::{Duration, Instant};

use super::end::{End, broken, fell, halted, trusted};
use super::error::EngineError;
use super::outline;
use super::setup::Setup;
use crate::build::{Built, Library};
use crate::gate::Seed;
use crate::report::progress::Progress;
use crate::report::record::Counters;
use crate::sandbox::Party;
use crate::stats::{StatsError, StepEstimate};
use crate::task::Task;
use crate::timer::{
    self, Boards, Broken, Budget, CONFIDENCE, Contest, Forge, Measured, Pace, Results, Sides,
    Target, correct, count,
};
use crate::worker::Worker;

/// What every contest of a trial shares.
pub struct Race<'r, 't> {
    /// Task, machine, sandbox.
    pub setup: &'r Setup<'t>,
    /// The reference's libraries.
    pub reference: &'r Built,
    /// Answers, never timed.
    pub oracle: &'r mut Worker,
    /// What the oracle has loaded: with code of the task's own where there is any.
    pub oracle_library: Library,
    /// Seed of all inputs.
    pub seed: Seed,
    /// When calls began to be made.
    pub begin: Instant,
    /// Where to tell how far it is.
    pub progress: &'r dyn Progress,
}

impl<'r> Race<'r, '_> {
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
            let contest = Contest { forge: &forge, targets, budget, layouts, deadline };
            let start = |number: usize| start(setup, [reference, theirs], party, number % layouts);
            let tell = |spent: Duration| self.progress.done(spent.as_secs());
            step.results =
                contest.run(self.oracle, start, &tell).map_err(|halt| halted(halt, setup.task))?;
            step.correct();
        }
        Ok(())
    }

    /// Times the candidate and the author's solution in turn, never alive at the same time, and
    /// returns what was measured of each.
    pub fn duel(
        &mut self,
        candidate: &Built,
        solution: &Built,
        timed: &Timed,
        budget: Budget,
    ) -> Result<[Timed; 2], End> {
        let (setup, reference) = (self.setup, self.reference);
        let (forge, targets, deadline) = (self.forge(), &timed.targets[..], self.deadline());
        let sides = [(candidate, Party::Candidate), (solution, Party::Reference)];
        let layouts = sides.map(|(built, _)| built.layouts.len()).into_iter().min().unwrap_or(1);
        let layouts = layouts.min(reference.layouts.len());
        let contest = Contest { forge: &forge, targets, budget, layouts, deadline };
        let start = |who: usize, number: usize| {
            let (theirs, party) = sides[who];
            start(setup, [reference, theirs], party, number % layouts)
        };
        let tell = |spent: Duration| self.progress.done(spent.as_secs());
        let found = contest.duel(self.oracle, start, &tell);
        let results = found.map_err(|(who, halt)| match who {
            0 => halted(halt, setup.task),
            _ => match ours(halted(halt, setup.task)) {
                End::Error(EngineError::Reference(why)) => {
                    let why = format!("the reference solution, timed in turn: {why}");
                    End::Error(EngineError::Reference(why))
                }
                end => end,
            },
        })?;
        let [mut theirs, mut ours] = results.map(|results| Timed { results, ..timed.again() });
        ours.correct();
        theirs.correct_beside(&ours);
        Ok([theirs, ours])
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
        End::Verdict(end) => End::Error(EngineError::Reference(end.1.message)),
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
    pub fn new(step: usize, targets: Vec<(Target, Pace)>) -> Self {
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

    /// The same of what was timed in turn with `other`: what it took off there, which both do to the
    /// reference, and what this one slowed it by beyond that.
    fn correct_beside(&mut self, other: &Timed) {
        let both = self.results.measured.iter_mut().zip(&other.results.measured);
        let own = both.zip(&other.slowed).map(|((measured, beside), slowed)| {
            let common = slowed.unwrap_or(0.0);
            measured.ln_ratios.iter_mut().for_each(|x| *x -= common);
            correct(measured, beside).map(|own| own + common)
        });
        self.slowed = own.collect();
    }

    /// What was measured of the step.
    pub fn estimate(&self, task: &Task) -> Result<StepEstimate, StatsError> {
        StepEstimate::of_functions(
            timer::estimates(task, &self.targets, &self.results)?,
            CONFIDENCE,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was measured of a target whose requests slow the reference by so much (ln).
    fn measured(slowing: f64) -> Measured {
        Measured {
            ln_ratios: vec![0.5, 0.6],
            reference_ns: 1.0,
            candidate_ns: 1.0,
            overhead_ns: 1.0,
            sealed_overhead_ns: 1.0,
            uneven: 0.0,
            audit: None,
            neighbour: [-0.01, 0.0, 0.01, 0.0].map(|noise| slowing + noise).to_vec(),
            block_errors: None,
            blocks: 1,
        }
    }

    fn timed(slowing: f64, control: f64) -> Timed {
        let mut timed = Timed::new(0, Vec::new());
        timed.results.measured = vec![measured(slowing)];
        timed.control = vec![measured(control)];
        timed
    }

    /// Half of the excess is taken off: see `timer::neighbour`.
    #[test]
    fn in_turn_what_both_do_to_the_reference_is_off_both_and_what_one_does_beyond_off_that_one() {
        for (candidate, common, own) in [(0.2, 0.1, 0.0), (0.4, 0.1, 0.1), (0.1, 0.1, 0.0)] {
            let (mut ours, mut theirs) = (timed(0.2, 0.0), timed(candidate, 0.0));
            ours.correct();
            theirs.correct_beside(&ours);
            let near = |timed: &Timed, off: f64| {
                let left = timed.results.measured[0].ln_ratios[0];
                assert!((timed.slowed[0].unwrap() - off).abs() < 1e-12, "{:?}", timed.slowed);
                assert!((left - (0.5 - off)).abs() < 1e-12, "{candidate}: {left}");
            };
            near(&ours, common);
            near(&theirs, common + own);
        }
    }
}
