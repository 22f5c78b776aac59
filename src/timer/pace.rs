//! The pace of a target: fixed from the reference alone, before candidate code is first mapped. A duel
//! keeps its form; how many requests a visit has follows from the reference solution alone, while no
//! candidate process is alive.

use std::time::{Duration, Instant};

use super::burst::Forge;
use super::visit::{Broken, Side, Took, visit};
use crate::stats;
use crate::task::{Cache, Calls};
use crate::worker::Worker;
use speedgate_harness::wire;

/// One profile of one function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// Index of the function in the task.
    pub function: usize,
    /// Index of the profile in the function.
    pub profile: usize,
}

/// How a target is timed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// Requests in clear give the number, sealed ones audit it; else all are sealed.
    pub plain: bool,
    /// Calls a burst (K).
    pub calls: u32,
    /// Whether each call's key is the digest of the one before.
    pub chained: bool,
    /// Requests a visit that give the number.
    pub requests: usize,
    /// Sealed requests a visit that audit it.
    pub audits: usize,
    /// Blocks a replicate.
    pub blocks: usize,
    /// The reference's time for one call, nanoseconds.
    pub reference_ns: f64,
    /// The stopwatch's own time for one call in clear: the bell's round trip, nanoseconds.
    pub bell_ns: f64,
    /// What one block costs, nanoseconds of wall time.
    pub block_ns: f64,
}

/// The fastest candidate's burst should still be several doorbells long.
const LONG_NS: f64 = 2_000.0;
/// Inputs and outputs of a burst should stay in the first-level cache.
const FOOTPRINT: u64 = 16 << 10;
/// Most calls that one key may cover when they are independent.
const INDEPENDENT: u32 = 16;
/// Longest visit of the reference, and what a block should take in all, if its fewest requests let
/// it. A noisy neighbour comes and goes within milliseconds: the shorter the visits, the more alike
/// what both sides see of him, and the more often he is met. Handing over takes some 60 us.
const VISIT_NS: f64 = 1e6;
const BLOCK_NS: f64 = 4e6;
const HANDOVER_NS: f64 = 6e4;
/// Five visits, and the oracle twice.
const HANDOVERS_NS: f64 = 7.0 * HANDOVER_NS;
/// Fewest requests of a visit: the first eighth does not count.
const FEWEST: f64 = 4.0;
/// Numbers from here on, and some before it, are calibration's: what it used is never timed again.
const LAST: u64 = u64::MAX / 512;
/// Bursts of each kind in a first look, visits that it may take, bursts that are enough, and time
/// after which fewer will do.
const FIRST: u64 = 3;
const MOST_VISITS: usize = 20;
const ENOUGH: usize = 12;
const LOOK_TIME: Duration = Duration::from_secs(2);
/// Most bytes in one set of bursts, and most time spent on making it.
const SET_BYTES: f64 = 48e6;
const SET_NS: f64 = 25e6;

/// What a first look at a target tells.
#[derive(Debug, Clone, Copy)]
struct Look {
    /// The reference's time for one call, nanoseconds.
    reference_ns: f64,
    /// The stopwatch's time for one call: in clear, and sealed.
    overhead_ns: (f64, f64),
    /// Bytes of inputs and of outputs.
    footprint: (u64, u64),
    /// Bytes of tables.
    tables: usize,
}

/// How inputs travel, and how many calls a burst has.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Form {
    plain: bool,
    calls: u32,
}

impl Form {
    /// From a first look; `mark` is the speedup that a candidate has to reach. A call is timed in
    /// clear where it is long, or where unsealing it takes longer than ringing the bell once more:
    /// the stopwatch's own noise is smaller then, and so is what unsealing faster could save. So is
    /// one that finds its data out of the first-level cache: unsealing brings them there, and moving
    /// them away once more costs more than any bell.
    /// `single`: the outputs of each call have to be looked at, and only the last of a burst leaves
    /// any; or its states have to be prepared.
    fn new(look: &Look, calls: Calls, cache: Cache, mark: f64, single: bool) -> Self {
        let fastest = look.reference_ns / (4.0 * mark);
        let (clear, sealed) = look.overhead_ns;
        let chained = calls == Calls::Chained;
        let dear = chained && sealed - clear > clear;
        if fastest >= LONG_NS || dear || cache != Cache::Warm {
            return Self { plain: true, calls: 1 };
        }
        if single {
            return Self { plain: false, calls: 1 };
        }
        let (input, output) = look.footprint;
        let room = ((wire::TABLES_LEN - 64) / look.tables.max(1)) as u64;
        let most = (FOOTPRINT / (input + output).max(1)).min(room);
        let most = most.clamp(1, if chained { 256 } else { u64::from(INDEPENDENT) }) as u32;
        Self { plain: false, calls: ((LONG_NS / fastest).ceil() as u32).clamp(1, most) }
    }
}

impl Pace {
    /// Bursts of a visit.
    pub fn bursts(&self) -> usize {
        self.requests + self.audits
    }

    /// The reference's time for a burst.
    pub fn burst_time(&self) -> Duration {
        Duration::from_nanos((self.reference_ns * f64::from(self.calls)) as u64)
    }

    /// Sets the number of requests, from what it takes to make a burst, to visit the reference with
    /// it (nanoseconds), and to keep it (bytes).
    fn count(&mut self, made_ns: f64, visited_ns: f64, bytes: f64) {
        let affordable = (SET_BYTES / bytes.max(1.0)).min(SET_NS / made_ns.max(1.0));
        let (visit, request) = (visited_ns.max(1.0), 2.0 * made_ns + 5.0 * visited_ns);
        let wanted = (VISIT_NS / visit).min((BLOCK_NS - HANDOVERS_NS) / request).max(FEWEST);
        let requests = wanted.min(affordable).ceil().clamp(3.0, 400.0);
        let audits = if self.plain { (requests / 4.0).ceil().max(2.0) } else { 0.0 };
        self.requests = requests as usize;
        self.audits = audits as usize;
        self.block_ns = (requests + audits) * request + HANDOVERS_NS;
    }
}

/// Times the reference alone and fixes the pace. The workers (oracle, reference,
/// blank) must be stopped, and are stopped again.
pub fn calibrate(
    forge: &Forge<'_>,
    target: Target,
    mark: f64,
    [oracle, reference, blank]: [&mut Worker; 3],
    deadline: Instant,
) -> Result<Pace, Broken> {
    let function = &forge.task.functions[target.function];
    let profile = &function.profiles[target.profile];
    let mut pace = Pace {
        plain: true,
        calls: 1,
        chained: false,
        requests: FIRST as usize,
        audits: FIRST as usize,
        blocks: 1,
        // Patience for a first look at a function nothing is known of: a minute of CPU time.
        reference_ns: 1.2e9,
        bell_ns: 0.0,
        block_ns: 0.0,
    };
    let numbers = LAST..LAST + 2 * FIRST;
    let bursts = forge.forge(target, &pace, numbers, FIRST as usize, oracle, false)?;
    let mut looks = Looks::default();
    let begin = Instant::now();
    // The median over several visits: one preemption can't decide. On a busy machine it takes
    // more of them until enough bursts were left alone.
    for number in 0..MOST_VISITS {
        let mut order: Vec<usize> = (0..bursts.len()).collect();
        order.rotate_left(number % bursts.len());
        let seen = visit(reference, Side::Reference, &bursts, &order, &pace, deadline)?;
        looks.reference.extend(left_alone(&seen.took[..FIRST as usize]));
        let seen = visit(blank, Side::Blank, &bursts, &order, &pace, deadline)?;
        let (clear, sealed) = seen.took.split_at(FIRST as usize);
        looks.clear.extend(left_alone(clear));
        looks.sealed.extend(left_alone(sealed));
        if looks.least() >= ENOUGH || (looks.least() > 0 && begin.elapsed() > LOOK_TIME) {
            break;
        }
    }
    let median = |x: &[f64]| stats::median(x).map_err(|_| Broken::Unfit);
    let (clear, sealed) = (median(&looks.clear)?, median(&looks.sealed)?);
    let reference_ns = (median(&looks.reference)? - clear).max(1.0);
    let (footprint, tables) = (bursts[0].footprint, bursts[0].tables.len());
    let look = Look { reference_ns, overhead_ns: (clear, sealed), footprint, tables };
    let single = function.is_loose() || !function.makes.is_empty();
    let form = Form::new(&look, profile.calls, profile.cache, mark, single);
    pace = Pace {
        plain: form.plain,
        calls: form.calls,
        chained: profile.calls == Calls::Chained,
        reference_ns,
        bell_ns: clear,
        ..pace
    };
    recount(forge, target, &pace, [oracle, reference], deadline)
}

/// The same form, with as many requests as what a burst costs allows. In a duel the reference is the
/// solution, whose bursts are shorter; what is timed stays the same.
pub fn recount(
    forge: &Forge<'_>,
    target: Target,
    pace: &Pace,
    [oracle, reference]: [&mut Worker; 2],
    deadline: Instant,
) -> Result<Pace, Broken> {
    let begin = Instant::now();
    let plain = if pace.plain { 2 } else { 0 };
    let bursts = forge.forge(target, pace, LAST - 3..LAST, plain, oracle, false)?;
    let made_ns = begin.elapsed().as_nanos() as f64 / bursts.len() as f64;
    let order: Vec<usize> = (0..bursts.len()).collect();
    let mut visited_ns = f64::INFINITY;
    for _ in 0..3 {
        let begin = Instant::now();
        visit(reference, Side::Reference, &bursts, &order, pace, deadline)?;
        // The quickest: a first visit maps memory, and handing over is not the bursts' part.
        visited_ns = visited_ns.min((begin.elapsed().as_nanos() as f64 - HANDOVER_NS).max(1.0));
    }
    let visited_ns = visited_ns / bursts.len() as f64;
    let (input, output) = bursts[0].footprint;
    let bytes = ((input + output) * u64::from(pace.calls)) as f64;
    let mut pace = *pace;
    pace.count(made_ns, visited_ns, bytes);
    Ok(pace)
}

/// Times of single calls, nanoseconds.
#[derive(Debug, Default)]
struct Looks {
    /// The reference's in clear.
    reference: Vec<f64>,
    /// The empty function's in clear.
    clear: Vec<f64>,
    /// The empty function's, sealed.
    sealed: Vec<f64>,
}

impl Looks {
    fn least(&self) -> usize {
        self.reference.len().min(self.clear.len()).min(self.sealed.len())
    }
}

/// Times of the bursts in which nobody else had one of the two cores.
fn left_alone(visit: &[Option<Took>]) -> impl Iterator<Item = f64> {
    visit.iter().flatten().filter(|took| !took.disturbed).map(|took| took.nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a call of so many nanoseconds and bytes whose unsealing takes a tenth of a nanosecond a
    /// byte, the bell 300 ns.
    fn form(ns: f64, bytes: u64, calls: Calls, mark: f64) -> Form {
        let overhead_ns = (300.0, 320.0 + 0.1 * bytes as f64);
        let footprint = (bytes / 2, bytes / 2);
        let look = Look { reference_ns: ns, overhead_ns, footprint, tables: 1000 };
        Form::new(&look, calls, Cache::Warm, mark, false)
    }

    #[test]
    fn long_functions_are_timed_in_clear_one_by_one() {
        let one = Form { plain: true, calls: 1 };
        assert_eq!(form(1e6, 300_000, Calls::Chained, 10.0), one);
        assert_eq!(form(1e6, 100, Calls::Independent, 10.0), one);
    }

    #[test]
    fn short_functions_are_sealed_and_chained_within_the_footprint() {
        let f = form(100.0, 128, Calls::Chained, 4.0);
        assert_eq!(f, Form { plain: false, calls: 128 });
        let fast = f64::from(f.calls) * 100.0 / (4.0 * 4.0);
        assert!(u64::from(f.calls) * 128 <= FOOTPRINT && fast >= 400.0);
        assert_eq!(form(100.0, 128, Calls::Independent, 4.0).calls, 16);
    }

    #[test]
    fn what_is_dearer_to_unseal_than_to_ring_for_is_timed_in_clear() {
        assert_eq!(form(1_000.0, 8_000, Calls::Chained, 4.0), Form { plain: true, calls: 1 });
        // Unless throughput is asked for: then calls have to follow each other.
        assert_eq!(form(1_000.0, 8_000, Calls::Independent, 4.0).calls, 2);
        assert!(!form(1_000.0, 1_000, Calls::Chained, 4.0).plain);
    }

    #[test]
    fn what_finds_its_data_out_of_the_first_level_is_timed_in_clear() {
        let look = Look {
            reference_ns: 100.0,
            overhead_ns: (300.0, 330.0),
            footprint: (64, 64),
            tables: 1000,
        };
        for (cache, plain) in [(Cache::Warm, false), (Cache::L2, true), (Cache::Cold, true)] {
            assert_eq!(Form::new(&look, Calls::Chained, cache, 4.0, false).plain, plain);
        }
    }

    #[test]
    fn a_visit_is_as_long_as_can_be_afforded() {
        let pace = |plain, made, visited, bytes| {
            let mut pace = Pace {
                plain,
                calls: 1,
                chained: true,
                requests: 0,
                audits: 0,
                blocks: 1,
                reference_ns: visited,
                bell_ns: 300.0,
                block_ns: 0.0,
            };
            pace.count(made, visited, bytes);
            (pace.requests, pace.audits)
        };
        assert_eq!(pace(false, 1e3, 2e4, 1e3), (36, 0));
        assert_eq!(pace(true, 1e3, 2e4, 1e3), (36, 9));
        // Dear to make: fewer, so that blocks stay many.
        assert_eq!(pace(false, 1e5, 2e4, 1e3), (12, 0));
        // Slow to make, large, long, very long, very short.
        assert_eq!(pace(false, 9e6, 1e5, 1e3), (3, 0));
        assert_eq!(pace(false, 1e3, 1e3, 1e7), (5, 0));
        assert_eq!(pace(true, 1e4, 2e6, 1e3), (4, 2));
        assert_eq!(pace(true, 1e7, 2e9, 1e3), (3, 2));
        assert_eq!(pace(false, 10.0, 10.0, 10.0), (400, 0));
    }
}
