//! Chooses the place of a worker's bells: how long a line takes from core to core depends on its
//! address, and two workers with unlike bells would have unlike stopwatches. Done before the library
//! is loaded, so that graded code has no say in it.

use std::sync::atomic::Ordering;

use speedgate_harness::shared::Shared;
use speedgate_harness::wire;

use super::clock::{self, Ticks};
use super::fate::Fate;

/// Places that are tried again after the first look at all of them, and how often.
const FINALISTS: usize = 8;
const ROUNDS: usize = 4;
/// Looks at the done bell between two questions whether the worker is alive.
const LOOKS: u32 = 1 << 20;

/// A place and its go bell's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// Index of the place.
    pub place: usize,
    /// What its go bell shows.
    pub bell: u64,
    /// Number of the next order to the worker.
    number: u64,
}

/// One place that was tried.
struct Tried {
    choice: Choice,
    trips: Vec<Ticks>,
}

impl Tried {
    /// The lower quartile: what disturbs a round trip only makes it longer.
    fn time(&self) -> Ticks {
        self.trips.get(self.trips.len() / 4).copied().unwrap_or(Ticks::MAX)
    }
}

/// Tries all places, the quickest ones again, and says which is the quickest of them. `alive`
/// is asked now and then whether there is still an answer to hope for.
pub fn choose(
    shared: &Shared,
    source: clock::Source,
    mut alive: impl FnMut() -> Result<(), Fate>,
) -> Result<Choice, Fate> {
    let mut number = 0u64;
    let mut tried: Vec<Tried> = (0..wire::PLACES)
        .map(|place| Tried { choice: Choice { place, ..Choice::FIRST }, trips: Vec::new() })
        .collect();
    for round in 0..=ROUNDS {
        let some = if round == 0 { tried.len() } else { FINALISTS };
        for candidate in &mut tried[..some] {
            number += 1;
            let order = wire::order(number, candidate.choice.place, false);
            shared.word(wire::CHOICE).store(order, Ordering::Release);
            ring(shared, source, candidate, &mut alive)?;
        }
        tried.iter_mut().for_each(|t| t.trips.sort_unstable());
        tried.sort_by_key(Tried::time);
    }
    let mut choice = tried[0].choice;
    choice.number = number + 1;
    Ok(choice)
}

impl Choice {
    /// The only place there is to choose where nobody spins.
    pub const FIRST: Self = Self { place: 0, bell: 0, number: 1 };

    /// Has the worker keep it.
    pub fn settle(self, shared: &Shared) {
        let order = wire::order(self.number, self.place, true);
        shared.word(wire::CHOICE).store(order, Ordering::Release);
    }
}

fn ring(
    shared: &Shared,
    source: clock::Source,
    tried: &mut Tried,
    alive: &mut impl FnMut() -> Result<(), Fate>,
) -> Result<(), Fate> {
    let Some(bells) = shared.part(wire::place(tried.choice.place), wire::PLACE_LEN) else {
        return Err(Fate::Ours("the arena is smaller than its bells".into()));
    };
    let (go, done) = (bells.word(wire::go::BELL), bells.word(wire::done::BELL));
    for _ in 0..wire::TRIES {
        tried.choice.bell += 1;
        let ring = tried.choice.bell;
        let start = clock::start(source);
        go.store(ring, Ordering::Release);
        let mut looks = 0u32;
        while done.load(Ordering::Acquire) != ring {
            looks = looks.wrapping_add(1);
            if looks.is_multiple_of(LOOKS) {
                alive()?;
            }
        }
        tried.trips.push(clock::stop(source).saturating_sub(start));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use speedgate_harness::bell;

    #[test]
    fn both_sides_settle_on_one_place() {
        let mut memory = vec![0u128; wire::PAYLOAD / 16 + 8];
        let start = memory.as_mut_ptr().cast::<u8>();
        let skip = start.align_offset(128);
        // SAFETY: inside of the vector, which outlives both sides; aligned as asked.
        let shared = unsafe { Shared::new(start.add(skip), wire::PAYLOAD) };
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| bell::settle(&shared).unwrap());
            let choice = choose(&shared, clock::source(), || Ok(())).unwrap();
            choice.settle(&shared);
            let bells = worker.join().unwrap();
            assert_eq!(bells.word(wire::go::BELL).load(Ordering::Relaxed), choice.bell);
            assert!(choice.bell >= wire::TRIES);
        });
    }

    #[test]
    fn a_worker_that_is_gone_is_noticed() {
        let mut memory = vec![0u128; wire::PAYLOAD / 16 + 8];
        let start = memory.as_mut_ptr().cast::<u8>();
        let skip = start.align_offset(128);
        // SAFETY: as above.
        let shared = unsafe { Shared::new(start.add(skip), wire::PAYLOAD) };
        let gone = || Err(Fate::Exited(3));
        assert_eq!(choose(&shared, clock::source(), gone), Err(Fate::Exited(3)));
    }
}
