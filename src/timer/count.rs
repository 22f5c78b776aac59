//! A round of counting, after the timing: both sides and the empty worker make some calls more,
//! on inputs of their own, while counters run. Nothing of it is timed.
//!
//! The workers of this round sleep on the bell instead of spinning on it, so that in user mode
//! they do nothing but what they are asked. What is left of waking, unsealing and digesting is
//! the empty worker's count, which is taken off as its time is.

use std::time::{Duration, Instant};

use super::burst::{Burst, Forge};
use super::counters::Board;
use super::pace::{Pace, Target};
use super::replicate::Sides;
use super::visit::{Broken, Side, ask};
use crate::report::record::{Event, EventSource};
use crate::stats::counters::{PerCall, Reading, Uncounted, per_call};
use crate::worker::{Worker, process};

/// Most bursts a set of events gets, and fewest.
const MOST: usize = 32;
const FEWEST: usize = 3;
/// Bursts that it gets even where the timer makes fewer a visit, if their time allows.
const FEW: usize = 6;
/// Time that the bursts of one target should take, all sides together, and the most they may.
const GOAL: Duration = Duration::from_secs(1);
const LIMIT: Duration = Duration::from_secs(5);
/// How long a worker may take to fall asleep after its answer.
const SETTLING: Duration = Duration::from_millis(5);

/// Counts of one target.
#[derive(Debug)]
pub struct Counted {
    /// Calls of each side that were counted.
    pub calls: u64,
    /// The reference's.
    pub reference: Vec<(Event, Result<PerCall, Uncounted>)>,
    /// The candidate's.
    pub candidate: Vec<(Event, Result<PerCall, Uncounted>)>,
}

/// Counters of the three workers of a round.
#[derive(Debug)]
pub struct Boards {
    reference: Board,
    candidate: Board,
    blank: Board,
}

impl Boards {
    /// Opens them.
    pub fn open(sides: &Sides<'_>) -> Self {
        Self {
            reference: Board::open(sides.reference.pid()),
            candidate: Board::open(sides.candidate.pid()),
            blank: Board::open(sides.blank.pid()),
        }
    }

    /// Each event and where its counts come from: as one worker's, so the others'.
    pub fn events(&self) -> &[EventSource] {
        self.reference.events()
    }
}

/// Counts one target. `None` if its calls take too long to be made again.
pub fn count(
    forge: &Forge<'_>,
    target: Target,
    pace: &Pace,
    sides: &mut Sides<'_>,
    boards: &mut Boards,
    deadline: Instant,
) -> Result<Option<Counted>, Broken> {
    let sets = boards.reference.sets();
    let Some(bursts) = bursts(pace, sets) else { return Ok(None) };
    let calls = (bursts - 1) as u64 * u64::from(pace.calls);
    let mut counted = Counted { calls, reference: Vec::new(), candidate: Vec::new() };
    let plain = if pace.plain { bursts } else { 0 };
    for set in 0..sets {
        // Numbers that neither the timer (from 0) nor the first look at a target (the far end) uses.
        let first = u64::MAX / 1024 + (set * bursts) as u64;
        let made =
            forge.forge(target, pace, first..first + bursts as u64, plain, sides.oracle, true)?;
        let round = |worker: &mut Worker, side, board: &mut Board| {
            visit(worker, side, &made, pace, (board, set), deadline)
        };
        let reference = round(&mut sides.reference, Side::Reference, &mut boards.reference)?;
        let candidate = round(&mut sides.candidate, Side::Candidate, &mut boards.candidate)?;
        let blank = round(&mut sides.blank, Side::Blank, &mut boards.blank)?;
        counted.reference.extend(net(&reference, &blank, pace));
        counted.candidate.extend(net(&candidate, &blank, pace));
    }
    Ok(Some(counted))
}

/// Readings of each event of a set, one a burst.
type Readings = Vec<(Event, Vec<Reading>)>;

/// What a side's calls had beyond the empty worker's.
fn net<'a>(
    side: &'a Readings,
    blank: &'a Readings,
    pace: &'a Pace,
) -> impl Iterator<Item = (Event, Result<PerCall, Uncounted>)> + 'a {
    side.iter().map(|(event, readings)| {
        let empty = blank.iter().find(|(e, _)| e == event).map_or(&[][..], |(_, r)| r);
        (*event, per_call(readings, empty, f64::from(pace.calls), event.is_certain()))
    })
}

/// Bursts of a visit, the first of which is not counted.
fn bursts(pace: &Pace, sets: usize) -> Option<usize> {
    // Both sides, the oracle, and a blank that costs something too; each set of events by itself.
    let one = (pace.burst_time() * 4).max(Duration::from_micros(1)) * sets as u32;
    let affordable = (GOAL.as_secs_f64() / one.as_secs_f64()) as usize;
    let bursts = affordable.min(pace.requests.max(FEW)).clamp(FEWEST, MOST) + 1;
    (sets > 0 && one * bursts as u32 <= LIMIT).then_some(bursts)
}

/// One worker runs all bursts while a set of its events is counted. The first does not count:
/// code, branch predictors and caches are still the last visitor's.
fn visit(
    worker: &mut Worker,
    side: Side,
    bursts: &[Burst],
    pace: &Pace,
    (board, set): (&mut Board, usize),
    deadline: Instant,
) -> Result<Readings, Broken> {
    worker.resume().map_err(|f| side.broken(f))?;
    let mut all = Readings::new();
    for (index, burst) in bursts.iter().enumerate() {
        if Instant::now() > deadline {
            return Err(Broken::Late);
        }
        let mut counted = Vec::new();
        ask(worker, side, (index, burst), pace, |worker, key, patience| {
            settle(worker);
            board.start(set);
            let answer = worker.run(key, patience);
            settle(worker);
            counted = board.stop(set);
            answer
        })?;
        for (event, reading) in counted.into_iter().filter(|_| index > 0) {
            match all.iter_mut().find(|(e, _)| *e == event) {
                Some((_, readings)) => readings.push(reading),
                None => all.push((event, vec![reading])),
            }
        }
    }
    worker.pause().map_err(|f| side.broken(f))?;
    Ok(all)
}

/// Waits until the worker sleeps on the bell, so that each window begins and ends there, whoever is
/// faster. One that goes on by itself is not waited for.
fn settle(worker: &Worker) {
    let begin = Instant::now();
    while !process::asleep(worker.pid()) && begin.elapsed() < SETTLING {
        std::thread::sleep(Duration::from_micros(20));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(reference_ns: f64) -> Pace {
        Pace {
            plain: true,
            calls: 1,
            chained: true,
            requests: 100,
            audits: 25,
            blocks: 3,
            reference_ns,
            bell_ns: 300.0,
            block_ns: 0.0,
        }
    }

    #[test]
    fn bursts_follow_the_time_that_they_take() {
        assert_eq!(bursts(&pace(1e3), 3), Some(MOST + 1));
        assert_eq!(bursts(&pace(20e6), 3), Some(4 + 1));
        assert_eq!(bursts(&Pace { requests: 1, ..pace(1e3) }, 2), Some(FEW + 1));
        assert_eq!(bursts(&Pace { requests: 1, ..pace(0.1e9) }, 2), Some(FEWEST + 1));
    }

    #[test]
    fn calls_that_take_too_long_are_not_made_again() {
        assert!(bursts(&pace(0.1e9), 3).is_some());
        assert_eq!(bursts(&pace(1e9), 3), None);
        assert_eq!(bursts(&pace(1e3), 0), None);
    }
}
