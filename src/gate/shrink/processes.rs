//! Attempts in processes of the candidate's, the oracle's answers beside.

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
    /// None yet. The process that failed must be gone: only one of its user may exist.
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
