//! Times of calls with a fixed secret and with random ones, in random order, everything else being
//! the same: sizes, places, public inputs. (The idea is dudect's.)
//!
//! Of what is fixed, buffers of the same kind and size hold the same bytes: a comparison then finds
//! both sides equal, and one that stops at the first difference goes to the end.

use std::time::{Duration, Instant};

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::burst::Forge;
use super::visit::{Broken, Side};
use crate::gate::instance::{Maker, draw};
use crate::gate::own::Own;
use crate::stats::Leak;
use crate::stats::{StatsError, leak};
use crate::task::Cache;
use crate::worker::request::{Mode, Request, Slots, Tables, Wanted};
use crate::worker::{Fate, Patience, Worker, clock};

/// Fixed secrets that are tried, each against random ones of its own.
pub const ROUNDS: u64 = 3;
/// Calls of a look, both classes together, and the time they may take.
const CALLS: usize = 16_000;
const TIME: Duration = Duration::from_secs(2);
/// Calls that are made ready together, and the memory that may take.
const BATCH: usize = 256;
const MEMORY: usize = 32 << 20;
/// The first calls of each batch do not count: caches are the generator's.
const WARM: usize = 8;

/// What to look at.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// Index of the function.
    pub function: usize,
    /// Which fixed secret.
    pub round: u64,
    /// Which set of random ones.
    pub attempt: u64,
}

/// Looks once. `None`: its calls take too long for enough of them. Both workers must be stopped, and
/// are stopped again; the oracle runs generators of the task's own.
///
/// # Errors
/// The worker failed, or the task can't be run.
pub fn look(
    forge: &Forge<'_>,
    look: Look,
    oracle: &mut Worker,
    worker: &mut Worker,
    side: Side,
    deadline: Instant,
) -> Result<Option<(Leak, usize)>, Broken> {
    let f = &forge.task.functions[look.function];
    let Some(profile) = f.profiles.first() else { return Ok(None) };
    let stream = |purpose, number| forge.seed.stream(purpose, &f.name, number);
    let mut still = stream("secret fixed", look.round);
    let maker = Maker::new(f, forge.symbols, &profile.fills);
    let values = draw(&f.name, &profile.draws, &Default::default(), &mut still)?;
    let call = maker.shape(&values, &mut still)?;
    let extents = maker.inputs(&values)?;
    let asks = f.uses_own_code();
    let mut content = |buffer: usize, rng: &mut ChaCha8Rng| -> Result<Option<Vec<u8>>, Broken> {
        let Some(&wanted) = extents.iter().find(|(b, _)| *b == buffer) else { return Ok(None) };
        let Forge { task, symbols, .. } = *forge;
        if asks {
            oracle.resume().map_err(Broken::Reference)?;
        }
        let mut own = Own { task, symbols, oracle: &mut *oracle };
        let mut made = maker.contents(&values, &[wanted], &mut own, rng, false)?;
        if asks {
            oracle.pause().map_err(Broken::Reference)?;
        }
        Ok(made.pop().map(|(_, content)| content.bytes))
    };
    let calls = std::slice::from_ref(&call);
    let tables = Tables::new(calls, &mut Slots::default(), Wanted::Nothing, None);
    let tables = tables
        .map(std::sync::Arc::new)
        .map_err(|unfit| Broken::Reference(Fate::Ours(unfit.to_string())))?;
    let mut fixed = vec![0; tables.payload_len()];
    for x in tables.inputs() {
        let made = content(x.buffer, &mut still.clone())?;
        let bytes = made.as_ref().unwrap_or(&call.buffers[x.buffer].content);
        fixed[x.at..x.at + x.len].copy_from_slice(bytes);
    }

    let mut fresh = stream("secret random", look.round * 1000 + look.attempt);
    let (source, patience) = (clock::source(), Patience::for_call(Duration::from_millis(20)));
    let batch = (MEMORY / fixed.len().max(1)).clamp(2 * WARM, BATCH);
    let mut times = [Vec::new(), Vec::new()];
    let begin = Instant::now();
    while times[0].len() + times[1].len() < CALLS && begin.elapsed() < TIME {
        // Made ready before the first is called, so that what precedes a call is the same in both.
        let mut ready = Vec::with_capacity(batch);
        for _ in 0..batch {
            let class = (fresh.next_u32() & 1) as usize;
            let mut payload = fixed.clone();
            for x in tables.inputs().iter().filter(|x| f.secret.contains(&x.buffer)) {
                // Drawn in either class: nobody is to see from the generator which it is.
                if let Some(bytes) = content(x.buffer, &mut fresh)?
                    && class == 1
                {
                    payload[x.at..x.at + x.len].copy_from_slice(&bytes);
                }
            }
            ready.push((class, payload));
        }
        worker.resume().map_err(|fate| side.broken(fate))?;
        for (number, (class, payload)) in ready.iter().enumerate() {
            if Instant::now() > deadline {
                return Err(Broken::Late);
            }
            let mode = Mode::Plain { read_only: false };
            let cache = Cache::Warm;
            let request = Request { tables: &tables, mode, payload, poison: 0x5A, cache };
            worker.stage(&request, patience).map_err(|fate| side.broken(fate))?;
            let timed = worker.run([1, 2], patience).map_err(|fate| side.broken(fate))?;
            if number >= WARM && !timed.disturbed {
                times[*class].push(clock::nanoseconds(source, timed.ticks));
            }
        }
        worker.pause().map_err(|fate| side.broken(fate))?;
    }
    match leak(&times[0], &times[1]) {
        Ok(seen) => Ok(Some((seen, times[0].len() + times[1].len()))),
        Err(StatsError::TooFew { .. }) => Ok(None),
        Err(error) => Err(Broken::Reference(Fate::Ours(error.to_string()))),
    }
}
