//! A visit: one worker runs some bursts while everybody else is stopped.

use super::burst::Burst;
use super::pace::Pace;
use crate::gate::instance::InstanceError;
use crate::worker::request::Request;
use crate::worker::{Fate, Patience, Worker, clock};

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

/// Mean times of a visit, nanoseconds a request; `None` where there was no such request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Visit {
    /// Requests in clear.
    pub plain: Option<f64>,
    /// Sealed requests.
    pub sealed: Option<f64>,
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
    fn broken(self, fate: Fate) -> Broken {
        if self == Side::Candidate { Broken::Candidate(fate) } else { Broken::Reference(fate) }
    }
}

/// Runs the bursts in the order given. The first part of the visit is not counted: code, branch
/// predictors and caches are still the last visitor's.
pub fn visit(
    worker: &mut Worker,
    side: Side,
    bursts: &[Burst],
    order: &[usize],
    pace: &Pace,
) -> Result<Visit, Broken> {
    worker.resume().map_err(|f| side.broken(f))?;
    let patience = Patience::for_call(pace.burst_time());
    let source = clock::source();
    let skip = (order.len() / 8).max(1);
    let (mut plain, mut sealed) = (Mean::default(), Mean::default());
    for (position, &index) in order.iter().enumerate() {
        let burst = &bursts[index];
        let request = Request {
            calls: &burst.calls,
            mode: burst.mode(pace.chained),
            sealed: burst.sealed.as_ref(),
            poison: burst.poison,
            flush: false,
            lengths: (side == Side::Blank).then_some(&burst.lengths[..]),
        };
        worker.stage(&request, patience).map_err(|f| side.broken(f))?;
        let timed = worker.run(burst.key, patience).map_err(|f| side.broken(f))?;
        let digest = match burst.sealed {
            Some(_) => timed.digest,
            None => worker.digest(burst.key, patience).map_err(|f| side.broken(f))?,
        };
        let right = match burst.sealed {
            Some(_) => burst.commitment(pace.chained),
            None => burst.digests[0],
        };
        if digest != right {
            match side {
                Side::Blank => {}
                Side::Reference => return Err(Broken::Unsteady),
                Side::Candidate => return Err(Broken::Wrong { burst: index }),
            }
        }
        if position >= skip {
            let mean = if burst.sealed.is_some() { &mut sealed } else { &mut plain };
            mean.add(clock::nanoseconds(source, timed.ticks));
        }
    }
    worker.pause().map_err(|f| side.broken(f))?;
    Ok(Visit { plain: plain.value(), sealed: sealed.value() })
}

#[derive(Debug, Default)]
struct Mean {
    sum: f64,
    count: u32,
}

impl Mean {
    fn add(&mut self, x: f64) {
        self.sum += x;
        self.count += 1;
    }

    fn value(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }
}
