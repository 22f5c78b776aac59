//! Cases on their way through the gate, as many at once as the caches hold.

use std::slice;
use std::sync::Arc;

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use speedgate_harness::seal::Block;
use speedgate_harness::wire::PAGE;

use super::case::Case;
use super::compare::{Answer, Wide};
use super::instance::Values;
use super::own::{Blank, Own};
use super::run::{Gate, Stopped};
use crate::task::Cache;
use crate::worker::request::{Instance, Mode, Request, Slots, Tables, Wanted};
use crate::worker::{Fate, Results, Violation, Worker, series};

/// A case with all that it takes to put it.
pub(super) struct Prepared<'c> {
    pub case: &'c Case,
    pub values: Values,
    pub instance: Instance,
    tables: Arc<Tables>,
    /// Inputs in clear.
    payload: Vec<u8>,
    /// Inputs as the candidate gets them, where that is not in clear.
    sealed: Option<Vec<u8>>,
    pub key: Block,
    /// The exact values of each output, where there are such.
    exact: Vec<Option<Vec<Wide>>>,
    /// What the oracle says. What it leaves in disorder itself is not held against the candidate.
    pub right: Answered,
}

/// What a worker gave back for one case.
#[derive(Default)]
pub(super) struct Answered {
    pub answer: Answer,
    /// Its outputs' digest under the case's key.
    pub digest: Block,
    pub violation: Option<Violation>,
}

impl Prepared<'_> {
    /// The candidate's answer to it, which came `index`th.
    pub fn answered(&self, index: usize, worker: &Worker) -> Answered {
        let Some((results, digest, violation)) = worker.answer(index) else {
            return Answered::default();
        };
        Answered { answer: collect(&self.instance, &results), digest, violation }
    }
}

/// What a worker handed back of a call at its flush.
pub fn collect(instance: &Instance, results: &Results<'_>) -> Answer {
    let buffers = instance.buffers.iter().enumerate();
    let buffers = buffers.map(|(i, b)| results.buffer(i, b.bytes + b.room)).collect();
    Answer { buffers, ret: results.returned(), ..Answer::default() }
}

/// Takes the oracle's answers.
pub(super) fn collect_right(batch: &mut [Prepared<'_>], oracle: &Worker) {
    for (index, p) in batch.iter_mut().enumerate() {
        let mut right = p.answered(index, oracle);
        let lengths = oracle.answer(index).map(|(results, ..)| results.lengths());
        right.answer.lengths = lengths.unwrap_or_default();
        right.answer.exact = std::mem::take(&mut p.exact);
        p.right = right;
    }
}

/// The oracle's requests.
pub(super) fn open<'p>(batch: &'p [Prepared<'_>]) -> Vec<(Request<'p>, Block)> {
    let mode = Mode::Open { chained: false };
    // The other pattern: bytes that depend on old content then differ.
    let request = |p: &'p Prepared<'_>| (p.request(mode, &p.payload, !p.case.poison()), p.key);
    batch.iter().map(request).collect()
}

/// The candidate's requests.
pub(super) fn put<'p>(batch: &'p [Prepared<'_>]) -> Vec<(Request<'p>, Block)> {
    let request = |p: &'p Prepared<'_>| {
        let payload = p.sealed.as_ref().unwrap_or(&p.payload);
        (p.request(p.case.mode(), payload, p.case.poison()), p.key)
    };
    batch.iter().map(request).collect()
}

impl Prepared<'_> {
    fn request<'p>(&'p self, mode: Mode, payload: &'p [u8], poison: u8) -> Request<'p> {
        Request { tables: &self.tables, mode, payload, poison, cache: Cache::Warm }
    }
}

/// Memory that the cases of a batch may take, bytes: little enough to be in the cache still when
/// they are compared, and to be allocated from what the last batch gave back.
const BATCH_BYTES: u64 = 2 << 20;
// A case counts as a page at least (`prepare`), so that they are no more than a series may hold.
const _: () = assert!(BATCH_BYTES / PAGE <= series::MOST as u64);

/// Cases that wait for their turn.
pub(super) struct Line<'a, 'c> {
    gate: &'a Gate<'a>,
    cases: slice::Iter<'c, Case>,
    slots: Slots,
    keys: ChaCha8Rng,
    /// One that was too large for the last batch.
    left: Option<(Prepared<'c>, u64)>,
}

impl<'a, 'c> Line<'a, 'c> {
    /// All of these.
    pub fn new(gate: &'a Gate<'a>, cases: &'c [Case]) -> Self {
        let keys = gate.seed.stream("gate keys", "", 0);
        Self { gate, cases: cases.iter(), slots: Slots::default(), keys, left: None }
    }

    /// The one that comes next.
    pub fn first(&self) -> Option<&'c Case> {
        self.left.as_ref().map(|(p, _)| p.case).or_else(|| self.cases.as_slice().first())
    }

    /// Makes the next cases; none when all are made. Code of the task's own runs in the oracle's
    /// worker, which must not be stopped.
    pub fn batch(&mut self, mut oracle: Option<&mut Worker>) -> Result<Vec<Prepared<'c>>, Stopped> {
        let mut batch = Vec::new();
        let mut bytes = 0;
        loop {
            let next = match self.left.take() {
                Some(left) => left,
                None => {
                    let Some(case) = self.cases.next() else { break };
                    self.prepare(case, oracle.as_deref_mut())?
                }
            };
            bytes += next.1;
            if bytes > BATCH_BYTES && !batch.is_empty() {
                self.left = Some(next);
                break;
            }
            batch.push(next.0);
        }
        Ok(batch)
    }

    /// One case, and the memory that it takes.
    fn prepare(
        &mut self,
        case: &'c Case,
        oracle: Option<&mut Worker>,
    ) -> Result<(Prepared<'c>, u64), Stopped> {
        let Gate { task, symbols, seed, algorithm, .. } = *self.gate;
        let function = &task.functions[case.function];
        let mut exact = Vec::new();
        let (instance, values) = match oracle {
            None => case.make(seed, task, symbols, &mut Blank)?,
            Some(oracle) => {
                let mut own = Own { task, symbols, oracle };
                let made = case.make(seed, task, symbols, &mut own)?;
                let values = own.exact(function, &made.0);
                exact = values.map_err(|fate| self.gate.reference(case, fate))?;
                made
            }
        };
        let (input, output) = instance.footprint();
        let key = [self.keys.next_u64(), self.keys.next_u64()];
        let calls = slice::from_ref(&instance);
        let tables = Tables::new(calls, &mut self.slots, Wanted::All, None)
            .map(Arc::new)
            .map_err(|unfit| self.gate.reference(case, Fate::Ours(unfit.to_string())))?;
        let payload = tables.payload(calls);
        let sealed = case.mode().in_window().then(|| {
            let mut sealed = payload.clone();
            tables.seal(algorithm, &mut sealed, &[key]);
            sealed
        });
        let right = Answered::default();
        let prepared =
            Prepared { case, values, instance, tables, payload, sealed, key, exact, right };
        Ok((prepared, 2 * input + output + PAGE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::fixture::gate;
    use crate::gate::{Origin, Placement};
    use crate::task::expression::Expr;
    use crate::task::fixture::{self, Fixture};
    use crate::task::prototype::CType;
    use crate::task::{Arg, Call, Draw, Role};

    /// `f(in x, out y)`, of `n` bytes each.
    fn task() -> Fixture {
        let mut fixture = Fixture::c(&[], &["f"]);
        let f = &mut fixture.task.functions[0];
        f.draws = vec![("n".into(), Draw::Range { from: 0, to: 1 << 20 })];
        f.buffers = vec![fixture::buffer("x", Role::In, "n"), fixture::buffer("y", Role::Out, "n")];
        let args = [0, 1].map(|buffer| Arg::Pointer { buffer, offset: Expr::Const(0) });
        f.calls = vec![Call { symbol: 0, args: args.into(), ret: CType::Void }];
        fixture
    }

    #[test]
    fn a_batch_has_no_more_calls_than_a_series() {
        let fixture = task();
        let symbols = ["f".to_owned()];
        let gate = gate(&fixture.task, &symbols);
        let fixed = || Values([("n".to_owned(), 0)].into());
        let case = |index| Case::new(0, index, Origin::Random, Placement::AtEnd, fixed());
        let most = BATCH_BYTES / PAGE;
        let cases: Vec<Case> = (0..most + 3).map(case).collect();
        let mut line = Line::new(&gate, &cases);
        let lengths = [(); 3].map(|()| line.batch(None).unwrap().len());
        assert_eq!(lengths, [most as usize, 3, 0]);
    }

    #[test]
    fn a_batch_fits_in_the_cache_or_is_a_single_case() {
        let fixture = task();
        let symbols = ["f".to_owned()];
        let gate = gate(&fixture.task, &symbols);
        let half = (BATCH_BYTES / 2 - PAGE) / 3;
        let sizes = [200_000, 200_000, 200_000, 200_000, 800_000, half, half, 0, 0];
        let case = |(index, n): (u64, u64)| {
            let fixed = Values([("n".to_owned(), n as i64)].into());
            // In clear: a seal takes its time.
            Case::new(0, 2 * index, Origin::Random, Placement::AtEnd, fixed)
        };
        let cases: Vec<Case> = (0..).zip(sizes).map(case).collect();
        let mut line = Line::new(&gate, &cases);
        let (mut lengths, mut numbers) = (Vec::new(), Vec::new());
        loop {
            let next = line.first().map(|case| case.number);
            let batch = line.batch(None).unwrap();
            assert_eq!(next, batch.first().map(|p| p.case.number));
            if batch.is_empty() {
                break;
            }
            lengths.push(batch.len());
            numbers.extend(batch.iter().map(|p| p.case.number));
        }
        // A call takes twice its input, its output, and a page; two of the halves fill a batch.
        assert_eq!(lengths, [3, 1, 1, 2, 2]);
        assert_eq!(numbers, cases.iter().map(|case| case.number).collect::<Vec<u64>>());
    }
}
