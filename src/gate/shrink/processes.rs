//! Attempts in processes with the candidate's library, each answer held against the oracle's.

use super::{Attempts, Stuck};
use crate::gate::case::Case;
use crate::gate::run::{Failure, Gate, Stopped};
use crate::gate::schedule::Tally;
use crate::worker::{Fate, Worker};

/// The process of the last attempt, while it lives, and how to come by another.
pub struct Processes<'a, 't> {
    gate: &'a Gate<'t>,
    oracle: &'a mut Worker,
    /// Starts a process with the candidate's library, stopped.
    start: &'a dyn Fn() -> Result<Worker, Fate>,
    worker: Option<Worker>,
}

impl<'a, 't> Processes<'a, 't> {
    /// Starts none yet. The process that failed must be gone: only one of its user may exist.
    pub fn new(
        gate: &'a Gate<'t>,
        oracle: &'a mut Worker,
        start: &'a dyn Fn() -> Result<Worker, Fate>,
    ) -> Self {
        Self { gate, oracle, start, worker: None }
    }
}

impl Attempts for Processes<'_, '_> {
    fn attempt(
        &mut self,
        fresh: bool,
        before: &[Case],
        case: &Case,
    ) -> Result<Option<Failure>, Stuck> {
        let kept = self.worker.take().filter(|_| !fresh && before.is_empty());
        let mut worker = kept.map_or_else(self.start, Ok).map_err(|_| Stuck)?;
        let calls: Vec<Case> = before.iter().chain([case]).cloned().collect();
        let mut checked = Tally::new(&|_| {});
        match self.gate.run(&calls, self.oracle, &mut worker, &mut checked) {
            Ok(()) => {
                self.worker = Some(worker);
                Ok(None)
            }
            Err(Stopped::Candidate(failure)) => {
                self.worker = Some(worker).filter(|worker| !worker.has_ended());
                Ok(Some(*failure))
            }
            Err(_) => Err(Stuck),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::process::{Command, Stdio};

    use speedgate_harness::wire;

    use super::*;
    use crate::gate::fixture::gate;
    use crate::gate::instance::Values;
    use crate::gate::{Origin, Placement};
    use crate::task::fixture::Fixture;

    #[test]
    fn without_a_process_nothing_is_said_of_the_call() {
        let fixture = Fixture::c(&[], &["f"]);
        let gate = gate(&fixture.task, &[]);
        let child = Command::new("/bin/sleep").arg("1000").stdin(Stdio::null()).spawn().unwrap();
        let (mut oracle, _shared) = Worker::around(child, wire::PAYLOAD + (1 << 16)).unwrap();
        let starts = Cell::new(0);
        let start = || -> Result<Worker, Fate> {
            starts.set(starts.get() + 1);
            Err(Fate::Ours("no more processes".into()))
        };
        let case = Case::new(0, 0, Origin::Random, Placement::Drawn, Values::default());
        let end = Processes::new(&gate, &mut oracle, &start).attempt(false, &[], &case);
        assert!(matches!(end, Err(Stuck)), "{end:?}");
        assert_eq!(starts.get(), 1);
    }
}
