//! A replicate: fresh processes, blocks of visits in balanced random order.

use rand::RngExt;
use rand::seq::SliceRandom;

use super::burst::Forge;
use super::pace::{Pace, Target};
use super::sample::{Blocks, Times};
use super::visit::{Broken, Side, Visit, visit};
use crate::worker::Worker;

/// The workers of a replicate, all stopped.
#[derive(Debug)]
pub struct Sides<'a> {
    /// Answers, never timed.
    pub oracle: &'a mut Worker,
    /// Timed.
    pub reference: Worker,
    /// Timed.
    pub candidate: Worker,
    /// Timed.
    pub blank: Worker,
}

/// Times one target; `number` counts the replicates.
pub fn replicate(
    forge: &Forge<'_>,
    target: Target,
    pace: &Pace,
    number: u64,
    sides: &mut Sides<'_>,
) -> Result<Blocks, Broken> {
    let name = &forge.task.functions[target.function].name;
    let mut rng = forge.seed.stream("schedule", name, number << 8 | target.profile as u64);
    let mut blocks = Blocks::default();
    let bursts = pace.bursts() as u64;
    let plain = if pace.plain { pace.requests } else { 0 };
    for block in 0..pace.blocks as u64 {
        // Two sets of inputs: each side sees each set once, and nothing ever twice.
        let first = (number * pace.blocks as u64 + block) * 2 * bursts;
        let mut set = |from: u64| -> Result<_, Broken> {
            let made = forge.forge(target, pace, from..from + bursts, plain, sides.oracle)?;
            let mut order: Vec<usize> = (0..made.len()).collect();
            order.shuffle(&mut rng);
            Ok((made, order))
        };
        let sets = [set(first)?, set(first + bursts)?];
        let (a, b) = match rng.random::<bool>() {
            true => (Side::Reference, Side::Candidate),
            false => (Side::Candidate, Side::Reference),
        };
        let mut order = vec![(a, 0), (b, 0), (b, 1), (a, 1)];
        order.insert(rng.random_range(0..=order.len()), (Side::Blank, rng.random_range(0..2)));
        let mut seen = Vec::with_capacity(order.len());
        for (side, set) in order {
            let worker = match side {
                Side::Reference => &mut sides.reference,
                Side::Candidate => &mut sides.candidate,
                Side::Blank => &mut sides.blank,
            };
            let (bursts, order) = &sets[set];
            seen.push((side, visit(worker, side, bursts, order, pace)?));
        }
        blocks.plain.extend(times(&seen, |v| v.plain));
        blocks.sealed.extend(times(&seen, |v| v.sealed));
    }
    Ok(blocks)
}

/// Means over the visits of each side. `None` if there were no such requests.
fn times(seen: &[(Side, Visit)], time: fn(&Visit) -> Option<f64>) -> Option<Times> {
    let mean = |side: Side| -> Option<f64> {
        let all: Vec<f64> =
            seen.iter().filter(|(s, _)| *s == side).map(|(_, v)| time(v)).collect::<Option<_>>()?;
        Some(all.iter().sum::<f64>() / all.len() as f64)
    };
    Some(Times {
        reference: mean(Side::Reference)?,
        candidate: mean(Side::Candidate)?,
        blank: mean(Side::Blank)?,
    })
}
