//! A visit: one worker runs some bursts while everybody else is stopped.

use std::time::Instant;

use speedgate_harness::seal::Block;

use super::burst::{Burst, Loose};
use super::pace::Pace;
use crate::gate::instance::InstanceError;
use crate::gate::{self, compare};
use crate::worker::{Fate, Patience, Timed, Worker, clock};

/// What stops a measurement.
#[derive(Debug, thiserror::Error)]
pub enum Broken {
    /// The task can't be run.
    #[error(transparent)]
    Task(#[from] InstanceError),
    /// A trusted worker failed: a mistake of the task, or our own.
    #[error("the reference library failed while it was timed: {0}")]
    Reference(Fate),
    /// The reference library gave another answer than the oracle, which has the same library; or in its
    /// place the reference solution did.
    #[error("the library in the reference's place gives another answer than the oracle")]
    Unsteady,
    /// Not one burst was left alone by other processes.
    #[error("other processes took the processor in every timed call")]
    Unfit,
    /// The grading's deadline passed.
    #[error("the grading's time is over")]
    Late,
    /// The candidate takes longer than the reference for what comes before the clock.
    #[error(
        "{what} takes {times:.2} times as long as with the reference, the task's budget is {budget}"
    )]
    OverBudget {
        /// What takes longer.
        what: &'static str,
        /// In multiples of the reference's time.
        times: f64,
        /// What the task allows, in multiples of it.
        budget: f64,
    },
    /// The candidate gave no answer.
    #[error("{0}")]
    Candidate(Fate),
    /// The candidate's outputs are wrong in a timed call.
    #[error("burst {burst}: {why}")]
    Wrong {
        /// Number of the burst in its visit.
        burst: usize,
        /// In which way.
        why: String,
    },
}

/// What a visit says of each burst, by its number.
#[derive(Debug, Clone)]
pub struct Visit {
    /// How long it took; `None` if it was not counted.
    pub took: Vec<Option<Took>>,
    /// What the worker committed to.
    pub committed: Vec<Block>,
}

/// How long a burst took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Took {
    /// Nanoseconds from *go* to *done*.
    pub nanoseconds: f64,
    /// Nanoseconds that preparing it took, where it has states to make.
    pub preparing: f64,
    /// Either side lost its processor meanwhile.
    pub disturbed: bool,
}

/// Who is visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The reference.
    Reference,
    /// The candidate.
    Candidate,
    /// The empty function: its outputs mean nothing.
    Blank,
}

impl Side {
    pub(super) fn broken(self, fate: Fate) -> Broken {
        if self == Side::Candidate { Broken::Candidate(fate) } else { Broken::Reference(fate) }
    }

    /// What it means that the outputs of a burst are not right.
    fn unlike(self, burst: usize, unlike: Unlike) -> Broken {
        match (unlike, self) {
            (Unlike::Fell(fate), _) => self.broken(fate),
            (Unlike::Wrong(why), Side::Candidate) => Broken::Wrong { burst, why },
            (Unlike::Wrong(_), _) => Broken::Unsteady,
        }
    }
}

/// Why the outputs of a burst are not known to be right.
#[derive(Debug)]
enum Unlike {
    /// They are wrong, in this way.
    Wrong(String),
    /// The worker did not hand them over.
    Fell(Fate),
}

/// Looks at the outputs of the burst that just ran; `committed` is the digest that came when the
/// clock stopped. The blank worker's mean nothing, but it is asked for as much. Gives the digest.
///
/// Where other bits than the oracle's may be right, the outputs are fetched: they count only if they
/// are what the worker had committed to, so that nobody can put them right while nobody is timing.
fn verify(
    worker: &mut Worker,
    side: Side,
    burst: &Burst,
    committed: Block,
    pace: &Pace,
) -> Result<Block, Unlike> {
    let patience = Patience::for_call(pace.burst_time());
    let digest = match burst.sealed {
        true => committed,
        false => worker.digest(burst.key, patience).map_err(Unlike::Fell)?,
    };
    if burst.loose.is_some() {
        worker.flush(patience).map_err(Unlike::Fell)?;
    }
    if side == Side::Blank || burst.right.is_none_or(|right| right == digest) {
        return Ok(digest);
    }
    let Some(Loose { function, call, right, algorithm }) = &burst.loose else {
        return Err(Unlike::Wrong(WRONG.into()));
    };
    let seen = gate::collect(call, &worker.results());
    match compare::committed(call, right, &seen, (*algorithm, burst.key, digest)) {
        Some(Ok(())) => Ok(digest),
        Some(Err(mismatch)) => Err(Unlike::Wrong(gate::describe(&mismatch, function))),
        None => Err(Unlike::Wrong(
            "the outputs handed over are not those that the worker had when the clock stopped"
                .into(),
        )),
    }
}

/// Why outputs of which only the digest is known are refused.
pub(super) const WRONG: &str = "the digest of the outputs is not that of the right ones";

/// Runs the bursts in the order given. The first part of the visit is not counted (code, branch
/// predictors and caches are still the last visitor's).
pub fn visit(
    worker: &mut Worker,
    side: Side,
    bursts: &[Burst],
    order: &[usize],
    pace: &Pace,
    deadline: Instant,
) -> Result<Visit, Broken> {
    worker.resume().map_err(|f| side.broken(f))?;
    let source = clock::source();
    let skip = (order.len() / 8).max(1);
    let mut visit = Visit { took: vec![None; bursts.len()], committed: vec![[0, 0]; bursts.len()] };
    for (position, &index) in order.iter().enumerate() {
        if Instant::now() > deadline {
            return Err(Broken::Late);
        }
        let (answer, committed) = ask(worker, side, (index, &bursts[index]), pace, Worker::run)?;
        visit.committed[index] = committed;
        if position >= skip {
            let nanoseconds = clock::nanoseconds(source, answer.ticks);
            let (preparing, disturbed) = (worker.preparing_ns(), answer.disturbed);
            visit.took[index] = Some(Took { nanoseconds, preparing, disturbed });
        }
    }
    worker.pause().map_err(|f| side.broken(f))?;
    Ok(visit)
}

/// Sends a burst, with its number in the visit, has it run, and holds the answer against the right
/// one where that is known.
pub fn ask(
    worker: &mut Worker,
    side: Side,
    (index, burst): (usize, &Burst),
    pace: &Pace,
    run: impl FnOnce(&mut Worker, Block, Patience) -> Result<Timed, Fate>,
) -> Result<(Timed, Block), Broken> {
    let patience = Patience::for_call(pace.burst_time());
    let request = burst.request(side == Side::Blank, pace.chained);
    worker.stage(&request, patience).map_err(|f| side.broken(f))?;
    let timed = run(worker, burst.key, patience).map_err(|f| side.broken(f))?;
    let digest = verify(worker, side, burst, timed.digest, pace)
        .map_err(|unlike| side.unlike(index, unlike))?;
    Ok((timed, digest))
}
