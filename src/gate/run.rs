//! Runs a plan: the oracle answers, the candidate answers, every byte is compared.

use std::sync::Arc;
use std::time::Instant;

use rand::Rng;
use speedgate_harness::seal::{Algorithm, Block};
use speedgate_harness::wire::PAGE;

use super::case::Case;
use super::compare::{self, Answer, Judge, Kept, Mismatch};
use super::instance::{InstanceError, Values};
use super::own::Own;
use super::schedule::Tally;
use super::seed::Seed;
use crate::report::record::Outcome;
use crate::task::{Cache, Function, Ret, Task};
use crate::worker::request::{Instance, Mode, Request, Slots, Tables, Wanted};
use crate::worker::{Fate, Patience, Violation, Worker};

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

/// A case with the right answer.
struct Prepared {
    case: Case,
    values: Values,
    instance: Instance,
    tables: Arc<Tables>,
    payload: Vec<u8>,
    key: Block,
    /// What the oracle said. What it leaves in disorder itself is not held against the candidate.
    right: Answered,
}

/// What a worker gave back for one case.
struct Answered {
    answer: Answer,
    /// Its outputs' digest under the case's key.
    digest: Block,
    violation: Option<Violation>,
}

/// Memory that prepared cases may take before the candidate gets its turn, bytes: little enough to
/// be in the cache still when it does, and to be allocated from what the last batch gave back.
const BATCH_BYTES: u64 = 2 << 20;

/// How long a single small call may take: the reference's own time is not known yet.
fn patience() -> Patience {
    Patience::for_call(std::time::Duration::from_millis(20))
}

impl Gate<'_> {
    /// Runs cases in order and counts in `checked` how many of each function were found right. Both
    /// workers must be stopped, and are stopped again afterwards unless they failed.
    pub fn run(
        &self,
        cases: &[Case],
        oracle: &mut Worker,
        candidate: &mut Worker,
        checked: &mut Tally<'_>,
    ) -> Result<(), Stopped> {
        let mut before = 0;
        self.run_all(cases, oracle, candidate, |p, answer| {
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

    fn run_all(
        &self,
        cases: &[Case],
        oracle: &mut Worker,
        candidate: &mut Worker,
        mut right: impl FnMut(&Prepared, &Answer),
    ) -> Result<(), Stopped> {
        let mut waiting = cases.iter();
        let mut slots = Slots::default();
        loop {
            let batch = self.prepare(&mut waiting, &mut slots, oracle)?;
            if batch.is_empty() {
                return Ok(());
            }
            let first = &batch[0];
            candidate.resume().map_err(|fate| self.fell(first, fate))?;
            for prepared in &batch {
                if Instant::now() > self.deadline {
                    return Err(Stopped::Late { function: prepared.case.function });
                }
                let answer = self.examine(prepared, candidate)?;
                right(prepared, &answer);
            }
            candidate.pause().map_err(|fate| self.fell(&batch[batch.len() - 1], fate))?;
        }
    }

    /// Makes the next cases and has the oracle answer them.
    fn prepare<'c>(
        &self,
        cases: &mut impl Iterator<Item = &'c Case>,
        slots: &mut Slots,
        oracle: &mut Worker,
    ) -> Result<Vec<Prepared>, Stopped> {
        let mut batch = Vec::new();
        let mut bytes = 0;
        let Some(first) = cases.next() else { return Ok(batch) };
        oracle.resume().map_err(|fate| self.reference(first, fate))?;
        let mut next = Some(first);
        while let Some(case) = next {
            let mut own = Own { task: self.task, symbols: self.symbols, oracle: &mut *oracle };
            let (instance, values) = case.make(self.seed, self.task, self.symbols, &mut own)?;
            let exact = own
                .exact(&self.task.functions[case.function], &instance)
                .map_err(|fate| self.reference(case, fate))?;
            let (input, output) = instance.footprint();
            bytes += 2 * input + output + PAGE;
            let name = &self.task.functions[case.function].name;
            let mut rng = self.seed.stream("gate key", name, case.number);
            let key = [rng.next_u64(), rng.next_u64()];
            let calls = std::slice::from_ref(&instance);
            let tables = Tables::new(calls, slots, Wanted::All, None)
                .map(Arc::new)
                .map_err(|unfit| self.reference(case, Fate::Ours(unfit.to_string())))?;
            let payload = tables.payload(calls);
            let mut right = self
                .answer(&instance, &tables, &payload, key, case, oracle)
                .map_err(|fate| self.reference(case, fate))?;
            right.answer.exact = exact;
            let case = case.clone();
            batch.push(Prepared { case, values, instance, tables, payload, key, right });
            next = if bytes < BATCH_BYTES { cases.next() } else { None };
        }
        oracle.pause().map_err(|fate| self.reference(first, fate))?;
        Ok(batch)
    }

    /// The oracle's answer.
    fn answer(
        &self,
        instance: &Instance,
        tables: &Arc<Tables>,
        payload: &[u8],
        key: Block,
        case: &Case,
        oracle: &mut Worker,
    ) -> Result<Answered, Fate> {
        let request = Request {
            tables,
            mode: Mode::Open { chained: false },
            cache: Cache::Warm,
            payload,
            // The other pattern: bytes that depend on old content then differ.
            poison: !case.poison(),
        };
        oracle.stage(&request, patience())?;
        let (_, violation) = oracle.run_checked(key, patience())?;
        oracle.flush(patience())?;
        let mut answer = collect(instance, oracle);
        answer.lengths = oracle.lengths();
        let digest = oracle.digests().pop().unwrap_or_default();
        Ok(Answered { answer, digest, violation })
    }

    /// Puts one case to the candidate; gives its answer, which is right.
    fn examine(&self, p: &Prepared, candidate: &mut Worker) -> Result<Answer, Stopped> {
        let Answered { answer, digest, violation } =
            self.put(p, candidate).map_err(|fate| self.fell(p, fate))?;
        // Other bits than the oracle's may be right: then they must be those that were committed to.
        let seal = (self.algorithm, p.key, digest);
        let kept = || match self.task.functions[p.case.function].is_loose() {
            true => compare::committed(&p.instance, &p.right.answer, &answer, seal).is_some(),
            false => digest == p.right.digest,
        };
        if let Err(mismatch) =
            compare::compare(&p.instance, &p.right.answer, &answer, p.case.poison())
        {
            let function = &self.task.functions[p.case.function];
            // Without the right commitment there were no right outputs, whatever else was written.
            let outcome = match mismatch {
                Mismatch::Written { .. } if kept() => Outcome::MemoryViolation,
                _ => Outcome::WrongOutput,
            };
            let message = describe(&mismatch, function);
            return Err(self.failure(p, outcome, message, Some(mismatch)));
        }
        if !kept() {
            let message = "the outputs are right now, but were not when the clock stopped: \
                           the digest that was committed to is another one";
            return Err(self.failure(p, Outcome::WrongOutput, message.into(), None));
        }
        if let Some(violation) = violation.and_then(|v| v.without(p.right.violation)) {
            let function = &self.task.functions[p.case.function];
            let symbol = function.calls.get(violation.call).map(|c| &*function.symbols[c.symbol]);
            let symbol = symbol.unwrap_or(&function.name);
            let message = format!("after `{symbol}` returned, {violation}");
            return Err(self.failure(p, Outcome::AbiViolation, message, None));
        }
        Ok(answer)
    }

    fn put(&self, p: &Prepared, candidate: &mut Worker) -> Result<Answered, Fate> {
        let mode = p.case.mode();
        let mut payload = p.payload.clone();
        if mode.in_window() {
            p.tables.seal(self.algorithm, &mut payload, &[p.key]);
        }
        let poison = p.case.poison();
        let request =
            Request { tables: &p.tables, mode, payload: &payload, poison, cache: Cache::Warm };
        candidate.stage(&request, patience())?;
        let (timed, violation) = candidate.run_checked(p.key, patience())?;
        let digest = match mode.in_window() {
            // One independent call commits to its own digest.
            true => timed.digest,
            false => candidate.digest(p.key, patience())?,
        };
        candidate.flush(patience())?;
        Ok(Answered { answer: collect(&p.instance, candidate), digest, violation })
    }

    fn failure(
        &self,
        p: &Prepared,
        outcome: Outcome,
        message: String,
        mismatch: Option<Mismatch>,
    ) -> Stopped {
        let buffers = self.task.functions[p.case.function].buffers.len();
        let inputs = p.instance.buffers.iter().take(buffers).map(|b| b.content.clone());
        Stopped::Candidate(Box::new(Failure {
            case: p.case.clone(),
            values: p.values.clone(),
            outcome,
            message,
            mismatch,
            history: Vec::new(),
            inputs: inputs.enumerate().filter(|(_, content)| !content.is_empty()).collect(),
        }))
    }

    /// The candidate gave no answer.
    fn fell(&self, p: &Prepared, fate: Fate) -> Stopped {
        let (outcome, message) =
            judge(&fate, Some((&self.task.functions[p.case.function], &p.instance)));
        self.failure(p, outcome, message, None)
    }

    fn reference(&self, case: &Case, fate: Fate) -> Stopped {
        let function = self.task.functions[case.function].name.clone();
        Stopped::Reference { function, number: case.number, fate }
    }
}

/// What a worker handed back of a call at its flush.
pub fn collect(instance: &Instance, worker: &Worker) -> Answer {
    let buffers =
        instance.buffers.iter().enumerate().map(|(i, b)| worker.buffer(i, b.bytes + b.room));
    Answer { buffers: buffers.collect(), ret: worker.returned(), ..Answer::default() }
}

/// What a candidate's end counts as, and a sentence about it. `call` is what it was asked.
pub fn judge(fate: &Fate, call: Option<(&Function, &Instance)>) -> (Outcome, String) {
    let outcome = match fate {
        Fate::Exited(_) => Outcome::Exited,
        Fate::Signalled { fault: Some(_), .. } => Outcome::MemoryViolation,
        Fate::Signalled { .. } | Fate::Corrupted(_) | Fate::LoadFailed(_) => Outcome::Crashed,
        Fate::ForbiddenSyscall => Outcome::ForbiddenSyscall,
        Fate::Hung { .. } | Fate::Stopped => Outcome::Hung,
        Fate::OutOfMemory { .. } => Outcome::OutOfMemory,
        Fate::Ours(_) => Outcome::InternalError,
    };
    if let (Fate::Signalled { fault: Some(fault), .. }, Some((function, instance))) = (fate, call)
        && let (Some(b), Some(i)) =
            (function.buffers.get(fault.buffer), instance.buffers.get(fault.buffer))
    {
        let past = fault.offset.wrapping_sub_unsigned(i.bytes + i.room);
        let place = match fault.offset {
            o if o < 0 => format!("{} bytes before the start of `{}`", o.unsigned_abs(), b.name),
            _ if past >= 0 => format!("byte {past} after the end of `{}`", b.name),
            o => format!("byte {o} of `{}`, which is read-only", b.name),
        };
        return (outcome, format!("access to {place} ({fate})"));
    }
    (outcome, fate.to_string())
}

/// A mismatch in a sentence.
pub fn describe(mismatch: &Mismatch, function: &Function) -> String {
    let name = |index: usize| {
        function
            .buffers
            .get(index)
            .map_or_else(|| "the scalars".into(), |b| format!("`{}`", b.name))
    };
    match mismatch {
        Mismatch::Return { expected, actual } => {
            let values = match function.ret {
                Ret::Same(rule) => Judge::new(rule, None, std::iter::empty()),
                Ret::Void | Ret::Ignore => Judge::default(),
            };
            match values.explain(0, *expected, *actual) {
                Some(values) => format!("returned {values}"),
                None => format!(
                    "returned {actual} ({actual:#x}), \
                     the reference returns {expected} ({expected:#x})"
                ),
            }
        }
        Mismatch::Output(place) => {
            let row = place.row.map_or(String::new(), |(y, x)| format!(" (row {y}, byte {x})"));
            let values = place.values.as_ref().map_or(String::new(), |v| format!(": {v}"));
            format!(
                "{} differs from the reference at byte {}{row}{values}",
                name(place.buffer),
                place.offset
            )
        }
        Mismatch::Written { what, place } => {
            let buffer = name(place.buffer);
            match what {
                Kept::Input => format!("input {buffer} was changed at byte {}", place.offset),
                Kept::Outside => format!("wrote outside {buffer}, at byte {}", place.offset),
                Kept::Padding => {
                    format!("wrote where {buffer} must stay untouched, at byte {}", place.offset)
                }
            }
        }
    }
}
