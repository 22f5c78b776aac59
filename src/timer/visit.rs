//! A visit: one worker runs some bursts while everybody else is stopped.

use std::time::Instant;

use speedgate_harness::seal::Block;

use super::burst::Burst;
use super::pace::Pace;
use crate::gate::instance::InstanceError;
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
    /// The reference library gave another answer than the oracle, which has the same library.
    #[error("the reference library answers the same call differently in two processes")]
    Unsteady,
    /// Not one burst was left alone by other processes.
    #[error("other processes took the processor in every timed call")]
    Unfit,
    /// The grading's deadline passed.
    #[error("the grading's time is over")]
    Late,
    /// The candidate gave no answer.
    #[error("{0}")]
    Candidate(Fate),
    /// The candidate's outputs are wrong in a timed call.
    #[error("burst {burst}: the digest of the outputs is not that of the right ones")]
    Wrong {
        /// Number of the burst in its visit.
        burst: usize,
    },
}

/// Times of a visit: for each burst how long it took; `None` if it was not counted.
pub type Visit = Vec<Option<Took>>;

/// How long a burst took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Took {
    /// Nanoseconds from *go* to *done*.
    pub nanoseconds: f64,
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
}

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
    let mut times = vec![None; bursts.len()];
    for (position, &index) in order.iter().enumerate() {
        if Instant::now() > deadline {
            return Err(Broken::Late);
        }
        let answer = ask(worker, side, (index, &bursts[index]), pace, Worker::run)?;
        if position >= skip {
            let nanoseconds = clock::nanoseconds(source, answer.ticks);
            times[index] = Some(Took { nanoseconds, disturbed: answer.disturbed });
        }
    }
    worker.pause().map_err(|f| side.broken(f))?;
    Ok(times)
}

/// Sends a burst, with its number in the visit, has it run, and holds the answer against the right
/// one.
pub fn ask(
    worker: &mut Worker,
    side: Side,
    (index, burst): (usize, &Burst),
    pace: &Pace,
    run: impl FnOnce(&mut Worker, Block, Patience) -> Result<Timed, Fate>,
) -> Result<Timed, Broken> {
    let patience = Patience::for_call(pace.burst_time());
    let request = burst.request(side == Side::Blank, pace.chained);
    let answer = || {
        worker.stage(&request, patience)?;
        let timed = run(worker, burst.key, patience)?;
        let digest = match burst.sealed {
            true => timed.digest,
            false => worker.digest(burst.key, patience)?,
        };
        Ok((timed, digest))
    };
    let (timed, digest) = answer().map_err(|fate| side.broken(fate))?;
    let right = if burst.sealed { burst.commitment(pace.chained) } else { burst.digests[0] };
    match side {
        Side::Reference if digest != right => Err(Broken::Unsteady),
        Side::Candidate if digest != right => Err(Broken::Wrong { burst: index }),
        _ => Ok(timed),
    }
}
