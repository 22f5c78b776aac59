//! The gate of a trial: every call of the plan, and what becomes of the first failure.

use super::end::{self, End, fell, verdict};
use super::failing::Scene;
use super::outline;
use super::race::Race;
use super::trial::{Only, Trial};
use crate::build::Built;
use crate::gate::shrink::{Bounds, Processes, Shrinker, Shrunk};
use crate::gate::{Ended, Gate, Schedule, Side, Stopped, Tally};
use crate::report::record::{self, Kind, Outcome, Reached, Record};
use crate::sandbox::Party;
use crate::task::Task;

impl Trial<'_> {
    /// The gate over all functions of the plan. `check` goes on after a failure, without the function
    /// that failed: whoever works on a library wants to know of all.
    pub(super) fn check(
        &self,
        race: &mut Race<'_, '_>,
        functions: &[usize],
        candidate: &Built,
        record: &mut Record,
    ) -> Result<(), End> {
        let task = race.setup.task;
        let goes_on = self.kind == Kind::Check && !matches!(self.only, Only::Calls(_));
        let mut left = functions.to_vec();
        let mut failures = Vec::new();
        while !left.is_empty() {
            let end = match self.check_these(race, &left, candidate, record) {
                Ok(()) => break,
                Err(End::Verdict(end)) => *end,
                Err(error) if failures.is_empty() => return Err(error),
                Err(_) => break,
            };
            let name = end.1.function.as_ref();
            let failed = left.iter().position(|f| Some(&task.functions[*f].name) == name);
            failures.push(end);
            match failed.filter(|_| goes_on) {
                Some(failed) => left.remove(failed),
                None => break,
            };
        }
        let mut failures = failures.into_iter();
        let Some(first) = failures.next() else { return Ok(()) };
        for (outcome, failure) in failures {
            let named = |f: &&mut record::Function| Some(&f.name) == failure.function.as_ref();
            if let Some(entry) = record.functions.iter_mut().find(named) {
                (entry.outcome, entry.message) = (Some(outcome), Some(failure.message.clone()));
            }
            record.more_failures.push(failure);
        }
        Err(End::Verdict(Box::new(first)))
    }

    /// The gate over some functions, up to the first failure.
    fn check_these(
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
            Only::Calls(cases) => Schedule::only(cases.clone()),
            _ => Schedule::new(&self.cases, task, functions, self.seed),
        };
        progress.stage("checking outputs", Some(schedule.len()));
        let layouts = candidate.layouts.len().max(1);
        let start =
            |number: usize| setup.start(Party::Candidate, candidate.layouts.get(number % layouts));
        let tell = |done| progress.done(done);
        let mut checked = Tally::new(&tell);
        let ended = schedule.run(&gate, race.oracle, &start, &mut checked);
        for (entry, function) in entries(record, task, functions) {
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
                let replayed = matches!(self.only, Only::Calls(_));
                let scene = Scene { task, step: self.step, seed: self.seed, replayed };
                let shrunk = if replayed {
                    // Whoever asks for these calls wants to see these.
                    Shrunk::Unknown
                } else {
                    progress.stage("looking for a smaller call that fails", None);
                    let start = || start(process);
                    let mut processes = Processes::new(&gate, race.oracle, &start);
                    Shrinker::new(&gate, &mut processes, Bounds::DEFAULT, &failure).run()
                };
                let outcome = failure.outcome;
                return Err(End::Verdict(Box::new((outcome, scene.failure(&failure, &shrunk)))));
            }
            Err(Ended::Stopped { stopped, .. }) => return Err(end::stopped(stopped, task)),
        }
        for (entry, function) in entries(record, task, functions) {
            complete(&entry.name, checked.of(function), schedule.planned(function))?;
            if !matches!(self.only, Only::Calls(_)) {
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
        let mut reference = Side { worker: &mut *race.oracle, library: race.oracle_library };
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

/// The record's entries of some functions.
fn entries<'r>(
    record: &'r mut Record,
    task: &'r Task,
    functions: &'r [usize],
) -> impl Iterator<Item = (&'r mut record::Function, usize)> {
    let named =
        move |name: &str| functions.iter().copied().find(|f| task.functions[*f].name == name);
    record
        .functions
        .iter_mut()
        .filter_map(move |entry| Some((named(&entry.name)?, entry)))
        .map(|(function, entry)| (entry, function))
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
