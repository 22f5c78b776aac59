//! Bursts: inputs that were never used before, with the digests that right answers have.
//!
//! The oracle answers where nothing can be sent without its answer: the key of a chained call is the
//! digest of the one before, a blank worker can't know how much of an output is valid. A single call
//! is held against the timed reference's answer instead, which costs nothing; only if the two differ
//! is the oracle asked which one is right.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use speedgate_harness::seal::{self, Algorithm, Block};
use speedgate_harness::wire::PAGE;

use super::pace::{Pace, Target};
use super::visit::Broken;
use crate::gate::compare::Answer;
use crate::gate::instance::{Extent, InstanceError, Maker, Values};
use crate::gate::own::{Blank, Own, Workshop};
use crate::gate::{self, Seed};
use crate::task::{Cache, Function, Task, sample};
use crate::worker::request::{self, Instance, Mode, Request, Slots, Tables, Wanted};
use crate::worker::{Fate, Patience, Worker};

/// Makes bursts.
#[derive(Debug)]
pub struct Forge<'a> {
    /// The task.
    pub task: &'a Task,
    /// Symbols in the workers' order.
    pub symbols: &'a [String],
    /// Seed of all inputs.
    pub seed: Seed,
    /// Seal in use.
    pub algorithm: Algorithm,
}

/// Calls to be made between *go* and *done*.
#[derive(Debug)]
pub struct Burst {
    /// What its calls are like.
    pub tables: Arc<Tables>,
    /// The same for a blank worker, which can't know how much of an output is valid.
    pub blank: Arc<Tables>,
    /// The inputs' bytes: sealed, or in clear.
    pub payload: Vec<u8>,
    /// Whether they are sealed.
    pub sealed: bool,
    /// Key of the first; secret until *go*.
    pub key: Block,
    /// What a worker with the right outputs commits to, if the oracle was asked: else both sides
    /// are held against each other.
    pub right: Option<Block>,
    /// The poison of its outputs.
    pub poison: u8,
    /// Bytes of the inputs, and of the outputs, of its first call.
    pub footprint: (u64, u64),
    /// Where its calls find their data.
    pub cache: Cache,
    /// The right answer of its only call, where other bits than its may be right too.
    pub loose: Option<Loose>,
}

/// What outputs are held against that a digest can't tell right from wrong.
#[derive(Debug)]
pub struct Loose {
    /// What is called.
    pub function: Arc<Function>,
    /// The call.
    pub call: Instance,
    /// What the oracle answered.
    pub right: Answer,
    /// The seal in use.
    pub algorithm: Algorithm,
}

impl Burst {
    /// What a worker, or a blank one, is asked.
    pub fn request(&self, blank: bool, chained: bool) -> Request<'_> {
        let tables = if blank { &self.blank } else { &self.tables };
        let sealed = Mode::Sealed { chained };
        let mode = if self.sealed { sealed } else { Mode::Plain { read_only: false } };
        let cache = self.cache;
        Request { tables, mode, payload: &self.payload, poison: self.poison, cache }
    }
}

/// Bursts of one set being made.
struct Batch<'f> {
    forge: &'f Forge<'f>,
    target: Target,
    pace: &'f Pace,
    maker: Maker<'f>,
    inputs: ChaCha8Rng,
    /// Draws where buffers lie.
    places: ChaCha8Rng,
    slots: Slots,
    /// Bytes that the slots are larger than they have to be.
    gaps: Slots,
    cache: Cache,
    /// Whether every call has the same draws.
    fixed: bool,
    shape: Option<Rc<Shape>>,
    /// The function, where a digest of its outputs does not tell whether they are right.
    loose: Option<Arc<Function>>,
    /// Whether the oracle is asked.
    asks: bool,
}

/// Calls with inputs that nobody has answered yet.
struct Draft {
    shape: Rc<Shape>,
    payload: Vec<u8>,
    poison: u8,
}

/// What workers hand back of a call.
fn wanted(loose: &Option<Arc<Function>>) -> Wanted {
    if loose.is_some() { Wanted::Outputs } else { Wanted::Nothing }
}

/// The calls of a burst without their inputs' bytes.
struct Shape {
    calls: Vec<Instance>,
    /// Of each call, the buffers that have content and their sizes.
    inputs: Vec<(Values, Vec<(usize, Extent)>)>,
    tables: Arc<Tables>,
}

impl Forge<'_> {
    /// Bursts `numbers` of a target; the first `plain` in clear, the rest sealed. Each number is
    /// used once in a contest. The oracle answers them where it has to, or where `answered` says so; it
    /// must be stopped, and is stopped again.
    pub fn forge(
        &self,
        target: Target,
        pace: &Pace,
        numbers: Range<u64>,
        plain: usize,
        oracle: &mut Worker,
        answered: bool,
    ) -> Result<Vec<Burst>, Broken> {
        let function = &self.task.functions[target.function];
        let profile = &function.profiles[target.profile];
        let stream = |purpose: &str| {
            let purpose = format!("{purpose} {}", profile.name);
            self.seed.stream(&purpose, &function.name, numbers.start)
        };
        let mut batch = Batch {
            forge: self,
            target,
            pace,
            maker: Maker::new(function, self.symbols, &profile.fills),
            inputs: stream("time"),
            places: stream("place"),
            slots: Slots::default(),
            gaps: gaps(stream("gap")),
            cache: profile.cache,
            fixed: sample::is_fixed(&profile.draws),
            shape: None,
            loose: function.is_loose().then(|| Arc::new(function.clone())),
            asks: answered
                || pace.calls > 1
                || function.is_loose()
                || function.uses_own_code()
                || function.buffers.iter().any(|b| b.used.is_some()),
        };
        let asks = batch.asks;
        if asks {
            oracle.resume().map_err(Broken::Reference)?;
        }
        let count = (numbers.end - numbers.start) as usize;
        let mut bursts = batch.make(plain.min(count), false, oracle)?;
        bursts.extend(batch.make(count - bursts.len(), true, oracle)?);
        if asks {
            oracle.pause().map_err(Broken::Reference)?;
        }
        Ok(bursts)
    }

    /// What the oracle answers to the only call of a burst for which it was not asked. It must be
    /// stopped, and is stopped again.
    pub fn judge(&self, burst: &Burst, pace: &Pace, oracle: &mut Worker) -> Result<Block, Broken> {
        let mut payload = burst.payload.clone();
        if burst.sealed {
            // The keystream is its own inverse.
            burst.tables.seal(self.algorithm, &mut payload, &[burst.key]);
        }
        oracle.resume().map_err(Broken::Reference)?;
        let asked = (&burst.tables, &payload[..], (burst.key, burst.poison));
        let (digests, ()) = answers(oracle, asked, pace, || ())?;
        oracle.pause().map_err(Broken::Reference)?;
        Ok(digests.last().copied().unwrap_or_default())
    }
}

impl Batch<'_> {
    /// `count` bursts whose draws are stratified.
    fn make(
        &mut self,
        count: usize,
        sealed: bool,
        oracle: &mut Worker,
    ) -> Result<Vec<Burst>, Broken> {
        let function = &self.forge.task.functions[self.target.function];
        let draws = &function.profiles[self.target.profile].draws;
        let calls = self.pace.calls as usize;
        let fixed = self.fixed;
        let drawn = if fixed { 1 } else { count * calls };
        let values = sample::stratified(draws, drawn, &mut self.inputs).map_err(|source| {
            let (function, place) = (function.name.clone(), "draws".into());
            InstanceError::Eval { function, place, source }
        })?;
        let burst = |n: usize| -> Vec<&Values> {
            (0..calls).map(|i| if fixed { &values[0] } else { &values[n * calls + i] }).collect()
        };
        let own_code = function.uses_own_code();
        let mut bursts = Vec::with_capacity(count);
        let mut next = None;
        for n in 0..count {
            let draft = match next.take() {
                Some(draft) => draft,
                None if own_code => {
                    let Forge { task, symbols, .. } = *self.forge;
                    self.draft(&burst(n), &mut Own { task, symbols, oracle })?
                }
                None => self.draft(&burst(n), &mut Blank)?,
            };
            // What the oracle is needed for can't be made while it answers.
            let overlap = self.asks && !own_code && n + 1 < count;
            let following = overlap.then(|| burst(n + 1));
            let (made, draft) = self.answered(draft, sealed, oracle, following)?;
            bursts.push(made);
            next = draft;
        }
        Ok(bursts)
    }

    /// Calls with these draws. Where a burst has several, the i-th lies in the same place in every
    /// burst of the set: if nothing else differs from the last one, its tables serve again.
    fn shaped(&mut self, values: &[&Values]) -> Result<Rc<Shape>, Broken> {
        if let Some(shape) = self.shape.clone().filter(|_| self.fixed && values.len() > 1) {
            return Ok(shape);
        }
        let mut again = self.places.clone();
        let places = if values.len() > 1 { &mut again } else { &mut self.places };
        let mut calls = Vec::with_capacity(values.len());
        let mut inputs = Vec::with_capacity(values.len());
        for values in values {
            calls.push(self.maker.shape(values, places)?);
            inputs.push(((*values).clone(), self.maker.inputs(values)?));
        }
        if self.shape.is_none() {
            request::fit(&calls, &mut self.slots);
            self.slots.iter_mut().zip(self.gaps).for_each(|(slot, gap)| *slot += gap);
        }
        let tables = encode(&calls, &mut self.slots, wanted(&self.loose), None)?;
        let tables = match &self.shape {
            Some(last) if *last.tables == *tables => last.tables.clone(),
            _ => tables,
        };
        let shape = Rc::new(Shape { calls, inputs, tables });
        self.shape = Some(shape.clone());
        Ok(shape)
    }

    /// Calls with these draws and fresh inputs.
    fn draft(&mut self, values: &[&Values], shop: &mut dyn Workshop) -> Result<Draft, Broken> {
        let shape = self.shaped(values)?;
        let mut payload = vec![0; shape.tables.payload_len()];
        let mut listed = shape.tables.inputs().iter().peekable();
        for (call, (values, inputs)) in shape.inputs.iter().enumerate() {
            let contents = self.maker.contents(values, inputs, shop, &mut self.inputs, false)?;
            while let Some(x) = listed.next_if(|x| x.call == call) {
                let made = contents.iter().find(|(buffer, _)| *buffer == x.buffer);
                // Sealed scalars are part of the shape.
                let scalars = &shape.calls[call].buffers[x.buffer].content;
                let bytes = made.map_or(scalars, |(_, content)| &content.bytes);
                payload[x.at..x.at + x.len].copy_from_slice(bytes);
            }
        }
        let poison = if self.inputs.next_u32() & 1 == 0 { 0x5A } else { 0xA5 };
        Ok(Draft { shape, payload, poison })
    }

    /// A draft with the oracle's answer, and the draft of the calls that follow, which is made while
    /// the oracle is at work.
    fn answered(
        &mut self,
        Draft { shape, payload, poison }: Draft,
        sealed: bool,
        oracle: &mut Worker,
        following: Option<Vec<&Values>>,
    ) -> Result<(Burst, Option<Draft>), Broken> {
        let tables = &shape.tables;
        // Of a call whose outputs will be looked at.
        let whole = self.loose.is_some().then(|| {
            let mut call = shape.calls[0].clone();
            for x in tables.inputs() {
                call.buffers[x.buffer].content = payload[x.at..x.at + x.len].to_vec();
            }
            call
        });
        let exact = match (&self.loose, &whole) {
            (Some(function), Some(call)) if function.exact.is_some() => {
                let Forge { task, symbols, .. } = *self.forge;
                let mut own = Own { task, symbols, oracle: &mut *oracle };
                own.exact(function, call).map_err(Broken::Reference)?
            }
            _ => Vec::new(),
        };
        // Not from the seed: whoever learns the seed of the inputs still lacks the key.
        let key = [rand::random(), rand::random()];
        let mut burst = Burst {
            blank: tables.clone(),
            tables: tables.clone(),
            payload,
            sealed,
            key,
            right: None,
            poison,
            footprint: shape.calls[0].footprint(),
            cache: self.cache,
            loose: None,
        };
        let mut keys = vec![key; shape.calls.len()];
        let mut next = None;
        if self.asks {
            let (chained, pace) = (self.pace.chained, self.pace);
            let meanwhile = || following.map(|values| self.draft(&values, &mut Blank)).transpose();
            let asked = (tables, &burst.payload[..], (key, poison));
            let (digests, draft) = answers(oracle, asked, pace, meanwhile)?;
            next = draft?;
            burst.right = Some(commitment(&digests, sealed, chained));
            burst.loose = self.loose.clone().zip(whole).map(|(function, call)| {
                let mut right = gate::collect(&call, &oracle.results());
                (right.lengths, right.exact) = (oracle.results().lengths(), exact);
                Loose { function, call, right, algorithm: self.forge.algorithm }
            });
            if shape.calls[0].buffers.iter().any(|b| !b.used.is_empty()) {
                let (slots, wanted) = (&mut self.slots, wanted(&self.loose));
                burst.blank =
                    encode(&shape.calls, slots, wanted, Some(&oracle.results().lengths()))?;
            }
            if chained {
                keys[1..].copy_from_slice(&digests[..digests.len() - 1]);
            }
        }
        if sealed {
            burst.tables.seal(self.forge.algorithm, &mut burst.payload, &keys);
        }
        Ok((burst, next))
    }
}

/// The digest of each call's right outputs, and what was done `meanwhile`.
fn answers<T>(
    oracle: &mut Worker,
    (tables, payload, (key, poison)): (&Arc<Tables>, &[u8], (Block, u8)),
    pace: &Pace,
    meanwhile: impl FnOnce() -> T,
) -> Result<(Vec<Block>, T), Broken> {
    let patience = Patience::for_call(pace.burst_time());
    let (mode, cache) = (Mode::Open { chained: pace.chained }, Cache::Warm);
    let request = Request { tables, mode, payload, poison, cache };
    oracle.stage(&request, patience).map_err(Broken::Reference)?;
    let done = oracle.run_beside(key, patience, meanwhile).map_err(Broken::Reference)?;
    oracle.flush(patience).map_err(Broken::Reference)?;
    Ok((oracle.results().digests(), done))
}

/// What a worker with these digests commits to; in clear there is but one.
fn commitment(digests: &[Block], sealed: bool, chained: bool) -> Block {
    match sealed && !chained {
        true => digests.iter().fold([0, 0], |all, d| seal::combine(all, *d)),
        false => digests.last().copied().unwrap_or_default(),
    }
}

/// Up to 15 pages for each slot: how buffers lie to one another in caches that are looked up by
/// physical address should differ from set to set, and be the same for all sides.
fn gaps(mut rng: ChaCha8Rng) -> Slots {
    std::array::from_fn(|_| u64::from(rng.next_u32() % 16) * PAGE)
}

fn encode(
    calls: &[Instance],
    slots: &mut Slots,
    wanted: Wanted,
    lengths: Option<&[u64]>,
) -> Result<Arc<Tables>, Broken> {
    let tables = Tables::new(calls, slots, wanted, lengths);
    tables.map(Arc::new).map_err(|unfit| Broken::Reference(Fate::Ours(unfit.to_string())))
}
