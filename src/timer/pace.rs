//! The pace of a target: fixed from the reference alone, before candidate code is first mapped.

use std::time::{Duration, Instant};

use super::burst::Forge;
use super::visit::{Broken, Side, Visit, visit};
use crate::stats;
use crate::task::Calls;
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
    /// What one block costs, nanoseconds of wall time.
    pub block_ns: f64,
}

/// The fastest candidate's burst should still be some 20 doorbells long.
const LONG_NS: f64 = 2_000.0;
/// Inputs and outputs of a burst should stay in the first-level cache.
const FOOTPRINT: u64 = 16 << 10;
/// Most calls that one key may cover when they are independent.
const INDEPENDENT: u32 = 16;
/// Shortest visit of the reference.
const VISIT_NS: f64 = 5e6;
/// Visits to find the pace, and how many bursts they should give.
const MOST_VISITS: usize = 20;
const ENOUGH: usize = 20;
/// Most bytes in one set of bursts, and most time spent on making it.
const SET_BYTES: f64 = 48e6;
const SET_NS: f64 = 25e6;

/// What a first look at a target tells.
#[derive(Debug, Clone, Copy)]
struct Look {
    /// The reference's time for one call, nanoseconds.
    reference_ns: f64,
    /// Time to make one call: its inputs, and the oracle's answer.
    made_ns: f64,
    /// Bytes of inputs and of outputs.
    footprint: (u64, u64),
    /// Bytes of tables.
    tables: usize,
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

    /// From a first look; `mark` is the speedup that a candidate has to reach.
    fn new(look: &Look, calls: Calls, mark: f64) -> Self {
        let Look { reference_ns, made_ns, footprint, tables } = *look;
        let (input, output) = footprint;
        let bytes = (input + output).max(1);
        let fastest = reference_ns / (4.0 * mark);
        let plain = fastest >= LONG_NS;
        let chained = calls == Calls::Chained;
        let most = (FOOTPRINT / bytes).min(((wire::TABLES_LEN - 64) / tables.max(1)) as u64);
        let most = most.clamp(1, if chained { 256 } else { u64::from(INDEPENDENT) }) as u32;
        let calls = if plain { 1 } else { ((LONG_NS / fastest).ceil() as u32).clamp(1, most) };
        let burst_ns = reference_ns * f64::from(calls);
        let burst_bytes = (bytes * u64::from(calls)) as f64;
        let made = made_ns * f64::from(calls);
        let affordable = (SET_BYTES / burst_bytes).min(SET_NS / made);
        let requests = (VISIT_NS / (burst_ns + 1_000.0)).ceil().min(affordable).clamp(3.0, 400.0);
        let audits = if plain { (requests / 4.0).ceil().max(2.0) } else { 0.0 };
        let bursts = requests + audits;
        let visited = burst_ns + burst_bytes * 1.0 + 5_000.0;
        let block_ns = bursts * (2.0 * made + 5.0 * visited) + 2e6;
        Self {
            plain,
            calls,
            chained,
            requests: requests as usize,
            audits: audits as usize,
            blocks: 0,
            reference_ns,
            block_ns,
        }
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
    let calls = function.profiles[target.profile].calls;
    let once = Pace {
        plain: true,
        calls: 1,
        chained: false,
        requests: 8,
        audits: 0,
        blocks: 1,
        // Patience for a first look at a function nothing is known of: a minute of CPU time.
        reference_ns: 1.2e9,
        block_ns: 0.0,
    };
    // Numbers from the far end: what calibration used is never timed again.
    let end = u64::MAX / 512;
    let begin = Instant::now();
    let bursts = forge.forge(target, &once, end - 8..end, 8, oracle)?;
    let made_ns = begin.elapsed().as_nanos() as f64 / 8.0;
    let order: Vec<usize> = (0..8).collect();
    let (mut ours, mut empty) = (Vec::new(), Vec::new());
    // The median over several visits: one preemption can't decide. On a busy machine it takes
    // more of them until enough bursts were left alone.
    for _ in 0..MOST_VISITS {
        ours.extend(left_alone(&visit(
            reference,
            Side::Reference,
            &bursts,
            &order,
            &once,
            deadline,
        )?));
        empty.extend(left_alone(&visit(blank, Side::Blank, &bursts, &order, &once, deadline)?));
        if ours.len().min(empty.len()) >= ENOUGH {
            break;
        }
    }
    let median = |x: &[f64]| stats::median(x).map_err(|_| Broken::Unfit);
    let reference_ns = (median(&ours)? - median(&empty)?).max(1.0);
    let (footprint, tables) = (bursts[0].footprint, bursts[0].tables.len());
    let look = Look { reference_ns, made_ns, footprint, tables };
    Ok(Pace::new(&look, calls, mark))
}

/// Times of the bursts in which nobody else had one of the two cores.
fn left_alone(visit: &Visit) -> impl Iterator<Item = f64> {
    visit.iter().flatten().filter(|took| !took.disturbed).map(|took| took.nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(ns: f64, bytes: u64, calls: Calls, mark: f64) -> Pace {
        let footprint = (bytes, bytes);
        let look = Look { reference_ns: ns, made_ns: ns, footprint, tables: 1000 };
        Pace::new(&look, calls, mark)
    }

    #[test]
    fn long_functions_are_timed_in_clear_one_by_one() {
        let p = pace(1e6, 300_000, Calls::Chained, 10.0);
        assert!(p.plain && p.calls == 1 && p.audits >= 1);
        assert_eq!(p.requests, 5);
    }

    #[test]
    fn short_functions_are_sealed_and_chained_within_the_footprint() {
        let p = pace(100.0, 64, Calls::Chained, 4.0);
        assert!(!p.plain && p.audits == 0 && p.chained);
        assert_eq!(p.calls, 128);
        let fast = f64::from(p.calls) * 100.0 / (4.0 * 4.0);
        assert!(p.calls as u64 * 128 <= FOOTPRINT && fast >= 400.0);
        assert_eq!(pace(100.0, 64, Calls::Independent, 4.0).calls, 16);
        // Too large for more than one: still timed, one at a time.
        assert_eq!(pace(3_000.0, 60_000, Calls::Chained, 40.0).calls, 1);
    }

    #[test]
    fn inputs_that_are_slow_to_make_get_few_requests() {
        let look =
            Look { reference_ns: 1e5, made_ns: 5e6, footprint: (1 << 16, 1 << 16), tables: 1000 };
        assert_eq!(Pace::new(&look, Calls::Chained, 2.0).requests, 5);
    }

    #[test]
    fn very_long_functions_get_few_requests() {
        assert_eq!(pace(2e9, 1_000, Calls::Chained, 2.0).requests, 3);
    }
}
