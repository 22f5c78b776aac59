//! The gate of a trial: every call of the plan, and what becomes of the first failure.

use super::end::{self, End, fell, verdict};
use super::failing::Scene;
use super::outline;
use super::race::Race;
use super::trial::Trial;
use crate::build::Built;
use crate::gate::shrink::{Bounds, Shrinker, Shrunk};
use crate::gate::{Ended, Gate, Schedule, Side, Stopped, Tally};
use crate::report::record::{Outcome, Reached, Record};
use crate::sandbox::Party;

impl Trial<'_> {
    /// The gate over all functions of the plan.
    pub(super) fn check(
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
        let schedule = match &self.only {
            Some(cases) => Schedule::only(cases.clone()),
            None => Schedule::new(&self.cases, task, functions, self.seed),
        };
        progress.stage("checking outputs", Some(schedule.len()));
        let layouts = candidate.layouts.len().max(1);
        let start =
            |number: usize| setup.start(Party::Candidate, candidate.layouts.get(number % layouts));
        let tell = |done| progress.done(done);
        let mut checked = Tally::new(&tell);
        let ended = schedule.run(&gate, race.oracle, &start, &mut checked);
        for (entry, &function) in record.functions.iter_mut().zip(functions) {
            let seen = checked.seen(function);
            entry.checked_calls = checked.of(function);
            entry.errors =
                seen.map_or(Vec::new(), |seen| outline::errors(&task.functions[function], seen));
            entry.coverage = seen.map_or(Vec::new(), outline::coverage);
        }
        match ended {
            Ok(()) => {}
            Err(Ended::Start(fate)) => return Err(fell(fate)),
            Err(Ended::Stopped { process, stopped: Stopped::Candidate(failure) }) => {
                let replayed = self.only.is_some();
                let scene = Scene { task, step: self.step, seed: self.seed, replayed };
                let shrunk = if replayed {
                    // Whoever asks for these calls wants to see these.
                    Shrunk::Unknown
                } else {
                    progress.stage("looking for a smaller call that fails", None);
                    let start = || start(process);
                    Shrinker::new(&gate, race.oracle, &start, Bounds::DEFAULT, &failure).run()
                };
                let outcome = failure.outcome;
                return Err(End::Verdict(Box::new((outcome, scene.failure(&failure, &shrunk)))));
            }
            Err(Ended::Stopped { stopped, .. }) => return Err(end::stopped(stopped, task)),
        }
        for (entry, &function) in record.functions.iter_mut().zip(functions) {
            complete(&entry.name, checked.of(function), schedule.planned(function))?;
            if self.only.is_none() {
                entry.reached = self.reach(&gate, race, function, candidate)?;
            }
            entry.outcome = Some(Outcome::Pass);
        }
        Ok(())
    }

    /// Whether the library's public entry, if the task names one, calls the function.
    fn reach(
        &self,
        gate: &Gate<'_>,
        race: &mut Race<'_, '_>,
        function: usize,
        candidate: &Built,
    ) -> Result<Option<Reached>, End> {
        let (setup, task) = (race.setup, race.setup.task);
        let entry = task.functions[function].entry;
        let (Some(entry), Some(theirs)) = (entry, candidate.layouts.first()) else {
            return Ok(None);
        };
        let mut worker = setup.start(Party::Candidate, Some(theirs)).map_err(fell)?;
        let mut reference = Side { worker: &mut *race.oracle, library: &race.oracle_library };
        let mut candidate = Side { worker: &mut worker, library: theirs };
        let cases = self.cases.cases(task, entry);
        gate.reach(function, &cases, &mut reference, &mut candidate).map_err(
            |stopped| match stopped {
                Stopped::Candidate(failure) => {
                    let scene = Scene { task, step: self.step, seed: self.seed, replayed: true };
                    let told = scene.failure(&failure, &Shrunk::Unknown);
                    End::Verdict(Box::new((failure.outcome, told)))
                }
                other => end::stopped(other, task),
            },
        )
    }
}

/// Fewer calls than the plan has are not enough, whatever the reason.
fn complete(function: &str, checked: u64, planned: u64) -> Result<(), End> {
    if checked == planned {
        return Ok(());
    }
    let message = format!("{checked} of {planned} cases were checked");
    Err(verdict(Outcome::Incomplete, Some(function.to_owned()), message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_calls_than_planned_are_incomplete() {
        assert!(complete("f", 10, 10).is_ok());
        for checked in [0, 9, 11] {
            let Err(End::Verdict(end)) = complete("f", checked, 10) else {
                panic!("{checked} of 10 passed");
            };
            assert_eq!((end.0, end.1.function.as_deref()), (Outcome::Incomplete, Some("f")));
        }
    }
}
