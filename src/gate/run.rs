//! Runs a plan: the oracle answers, the candidate answers, every byte is compared.

use std::mem;
use std::time::{Duration, Instant};

use speedgate_harness::seal::Algorithm;

use super::batch::{self, Line, Prepared};
use super::case::Case;
use super::compare::{Answer, Mismatch};
use super::instance::{InstanceError, Values};
use super::schedule::Tally;
use super::seed::Seed;
use crate::report::record::Outcome;
use crate::task::Task;
use crate::worker::series::Unfinished;
use crate::worker::{Fate, Patience, Worker};

/// What a gate needs to know.
#[derive(Debug)]
pub struct Gate<'a> {
    /// The task.
    pub task: &'a Task,
    /// Symbols in the workers' order.
    pub symbols: &'a [String],
    /// Seed of all inputs.
    pub seed: Seed,
    /// Seal in use.
    pub algorithm: Algorithm,
    /// When the grading must be over.
    pub deadline: Instant,
}

/// A call that was not answered right.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The call.
    pub case: Case,
    /// Its draws.
    pub values: Values,
    /// What it counts as.
    pub outcome: Outcome,
    /// In a sentence.
    pub message: String,
    /// The differing place, if outputs were the matter.
    pub mismatch: Option<Mismatch>,
    /// What its process had been asked before, in order.
    pub history: Vec<Case>,
    /// Content of its inputs: (index of the buffer, bytes).
    pub inputs: Vec<(usize, Vec<u8>)>,
}

/// Why a gate ended without having looked at every case.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// The candidate failed.
    #[error("{}", .0.message)]
    Candidate(Box<Failure>),
    /// The grading's deadline passed.
    #[error("the grading's time was over before all outputs were checked")]
    Late {
        /// Index of the function in the task.
        function: usize,
    },
    /// The library's public entry does not call the function that is scored.
    #[error("{message}")]
    NotReached {
        /// Name of the function.
        function: String,
        /// In a sentence.
        message: String,
    },
    /// The reference's entry does not call it either.
    #[error(
        "the reference's `{entry}` never executes `{function}`, whose `entry` it is: name another \
         one, or keep the compiler from putting a copy in place of the call (`noinline`)"
    )]
    NoEntry {
        /// Name of the function.
        function: String,
        /// Name of the entry.
        entry: String,
    },
    /// A library that was loaded can't be looked at.
    #[error("whether `{function}` is reached can't be seen: {why}")]
    Unreadable {
        /// Name of the function.
        function: String,
        /// In words.
        why: String,
    },
    /// The reference's answer is not the one that is known.
    #[error(
        "function `{function}`, vector {vector} of `{file}`: the reference's {what}; one of them is \
         wrong"
    )]
    Unknown {
        /// Name of the function.
        function: String,
        /// Number of the vector, from 1 on.
        vector: usize,
        /// The file.
        file: String,
        /// What differs, in a sentence.
        what: String,
    },
    /// The task can't be run.
    #[error(transparent)]
    Task(#[from] InstanceError),
    /// The reference itself failed: a mistake of the task, or our own.
    #[error("the reference library failed on function `{function}`, case {number}: {fate}")]
    Reference {
        /// Function.
        function: String,
        /// Case number.
        number: u64,
        /// What happened.
        fate: Fate,
    },
}

/// How long a single small call may take: the reference's own time is not known yet.
fn patience() -> Patience {
    Patience::for_call(Duration::from_millis(20))
}

impl Gate<'_> {
    /// Runs cases in order and counts in `checked` how many of each function were found right. Both
    /// workers must be stopped, and are stopped again afterwards unless they ended, or the time was over.
    pub fn run(
        &self,
        cases: &[Case],
        oracle: &mut Worker,
        candidate: &mut Worker,
        checked: &mut Tally<'_>,
    ) -> Result<(), Stopped> {
        let mut before = 0;
        self.run_all(cases, oracle, candidate, &mut |p, answer| {
            let function = (p.case.function, &self.task.functions[p.case.function]);
            checked.add(function, (&p.values, &p.instance), &p.right.answer, answer);
            before += 1;
        })
        .map_err(|stopped| match stopped {
            Stopped::Candidate(mut failure) => {
                failure.history = cases[..before].to_vec();
                Stopped::Candidate(failure)
            }
            other => other,
        })
    }

    /// The two workers take turns on their core, a batch each; meanwhile, on the other core, answers
    /// are compared (while the oracle works on the next ones) and inputs made (while the candidate
    /// does).
    fn run_all(
        &self,
        cases: &[Case],
        oracle: &mut Worker,
        candidate: &mut Worker,
        right: &mut dyn FnMut(&Prepared<'_>, &Answer),
    ) -> Result<(), Stopped> {
        let mut line = Line::new(self, cases);
        // What code of the task's own has a part in is made in the oracle's turn.
        let helped = !self.task.own_code().is_empty();
        let mut next = if helped { Vec::new() } else { line.batch(None)? };
        let mut behind: Vec<Prepared<'_>> = Vec::new();
        loop {
            if helped && let Some(case) = line.first() {
                oracle.resume().map_err(|fate| self.reference(case, fate))?;
                next = line.batch(Some(&mut *oracle))?;
            }
            let mut batch = mem::take(&mut next);
            let Some(first) = batch.first() else {
                return self.examine(&behind, candidate, right);
            };
            oracle.resume().map_err(|fate| self.reference(first.case, fate))?;
            oracle.begin(&batch::open(&batch)).map_err(|fate| self.reference(first.case, fate))?;
            let seen = self.examine(&behind, candidate, right);
            self.finish_oracle(&batch, oracle)?;
            seen?;
            candidate.resume().map_err(|fate| self.fell(&batch[0], fate))?;
            candidate.begin(&batch::put(&batch)).map_err(|fate| self.fell(&batch[0], fate))?;
            batch::collect_right(&mut batch, oracle);
            let made = if helped { Ok(Vec::new()) } else { line.batch(None) };
            // Nobody is judged by a reference that is wrong.
            let known = batch.iter().try_for_each(|p| self.known(p));
            let finished = self.finish_candidate(&batch, candidate, right);
            known?;
            finished?;
            next = made?;
            behind = batch;
        }
    }

    /// Waits for the oracle's answers and stops it.
    fn finish_oracle(&self, batch: &[Prepared<'_>], oracle: &mut Worker) -> Result<(), Stopped> {
        let finished = oracle.finish(patience(), self.deadline);
        let at = &batch[oracle.answered().min(batch.len() - 1)];
        match finished.and_then(|()| Ok(oracle.pause()?)) {
            Ok(()) => Ok(()),
            Err(Unfinished::Late) => Err(Stopped::Late { function: at.case.function }),
            Err(Unfinished::Fell(fate)) => Err(self.reference(at.case, fate)),
        }
    }

    /// Waits for the candidate's answers and stops it. If it fails, those that it gave come first.
    fn finish_candidate(
        &self,
        batch: &[Prepared<'_>],
        candidate: &mut Worker,
        right: &mut dyn FnMut(&Prepared<'_>, &Answer),
    ) -> Result<(), Stopped> {
        let finished = candidate.finish(patience(), self.deadline);
        let answered = candidate.answered();
        let at = &batch[answered.min(batch.len() - 1)];
        let Err(unfinished) = finished.and_then(|()| Ok(candidate.pause()?)) else {
            return Ok(());
        };
        self.examine(&batch[..answered], candidate, right)?;
        match unfinished {
            Unfinished::Late => Err(Stopped::Late { function: at.case.function }),
            Unfinished::Fell(fate) => Err(self.fell(at, fate)),
        }
    }

    pub(super) fn reference(&self, case: &Case, fate: Fate) -> Stopped {
        let function = self.task.functions[case.function].name.clone();
        Stopped::Reference { function, number: case.number, fate }
    }
}
