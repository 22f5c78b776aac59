//! A replicate: fresh processes, blocks of visits in balanced random order.

use std::time::Instant;

use rand::RngExt;
use rand::seq::SliceRandom;

use super::burst::Forge;
use super::pace::{Pace, Target};
use super::sample::{Blocks, Times};
use super::visit::{Broken, Side, Took, Visit, visit};
use crate::stats;
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

/// Times one target; `number` counts the replicates. Nothing is begun after `deadline`.
pub fn replicate(
    forge: &Forge<'_>,
    target: Target,
    pace: &Pace,
    number: u64,
    sides: &mut Sides<'_>,
    deadline: Instant,
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
            seen.push((side, set, visit(worker, side, bursts, order, pace, deadline)?));
        }
        let [first, second] = &sets;
        let kinds = [first, second]
            .map(|(bursts, _)| -> Vec<bool> { bursts.iter().map(|b| b.sealed).collect() });
        blocks.plain.extend(times(&seen, &kinds, false));
        blocks.sealed.extend(times(&seen, &kinds, true));
    }
    Ok(blocks)
}

/// Mean times of a block's sealed (or plain) bursts on each side. A burst in which either side lost
/// its processor does not count, nor does the other side's on the same input, so that both means
/// are over the same inputs. Where that leaves nothing, all count: calls that are longer than a
/// turn on a busy processor are always interrupted. All count, too, where the candidate was
/// interrupted much more often than the reference: a worker can have that done to itself, and
/// must not choose which inputs count. `None` if there was no such burst.
fn times(seen: &[(Side, usize, Visit)], kinds: &[Vec<bool>; 2], sealed: bool) -> Option<Times> {
    let of = |side: Side, set: usize| {
        seen.iter().find(|(s, n, _)| *s == side && *n == set).map(|(_, _, visit)| visit)
    };
    let mut pairs = Vec::new();
    for (set, kinds) in kinds.iter().enumerate() {
        let both = of(Side::Reference, set)?.iter().zip(of(Side::Candidate, set)?);
        let both = both.zip(kinds).filter(|(_, kind)| **kind == sealed);
        pairs.extend(both.filter_map(|((r, c), _)| Some([(*r)?, (*c)?])));
    }
    let hit = |side: usize| pairs.iter().filter(|pair| pair[side].disturbed).count();
    let by_chance = hit(1) <= 2 * hit(0) + pairs.len() / 8 + 1;
    let [ours, theirs] = if by_chance { left_alone(&pairs) } else { all(&pairs) };
    let empty = (0..2).filter_map(|set| Some((of(Side::Blank, set)?, &kinds[set])));
    let empty = empty.flat_map(|(visit, kinds)| visit.iter().zip(kinds));
    let empty: Vec<[Took; 1]> = empty
        .filter(|(_, kind)| **kind == sealed)
        .filter_map(|(took, _)| Some([(*took)?]))
        .collect();
    let [empty] = left_alone(&empty);
    Some(Times {
        reference: stats::mean(&ours).ok()?,
        candidate: stats::mean(&theirs).ok()?,
        // The empty function always takes the same time: what is above the median is noise.
        blank: stats::median(&empty).ok()?,
    })
}

/// The times of those bursts on the same input in which no side was disturbed; of all if there are
/// none.
fn left_alone<const SIDES: usize>(bursts: &[[Took; SIDES]]) -> [Vec<f64>; SIDES] {
    let quiet = |sides: &[Took; SIDES]| !sides.iter().any(|took| took.disturbed);
    let any = bursts.iter().any(quiet);
    let kept: Vec<_> = bursts.iter().filter(|sides| !any || quiet(sides)).copied().collect();
    all(&kept)
}

/// The times of all bursts.
fn all<const SIDES: usize>(bursts: &[[Took; SIDES]]) -> [Vec<f64>; SIDES] {
    std::array::from_fn(|side| bursts.iter().map(|sides| sides[side].nanoseconds).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(
        reference: [Visit; 2],
        candidate: [Visit; 2],
        blank: Visit,
    ) -> Vec<(Side, usize, Visit)> {
        let [r0, r1] = reference;
        let [c0, c1] = candidate;
        vec![
            (Side::Reference, 0, r0),
            (Side::Candidate, 0, c0),
            (Side::Candidate, 1, c1),
            (Side::Blank, 1, blank),
            (Side::Reference, 1, r1),
        ]
    }

    /// Bursts that took so long; a negative time was disturbed.
    fn took(times: &[f64]) -> Visit {
        let took = |t: &f64| Took { nanoseconds: t.abs(), disturbed: *t < 0.0 };
        times.iter().map(|t| Some(took(t))).collect()
    }

    #[test]
    fn what_is_dropped_on_one_side_is_dropped_on_the_other() {
        let one = |x: f64| [vec![None], took(&[x, x + 2.0])].concat();
        let gap = [vec![None], took(&[-90.0, 42.0])].concat();
        let seen = seen([one(10.0), one(20.0)], [one(1.0), gap], took(&[0.5, 0.5, 9.0]));
        let kinds = [vec![false; 3], vec![false; 3]];
        let t = times(&seen, &kinds, false).unwrap();
        assert_eq!(t.reference, (10.0 + 12.0 + 22.0) / 3.0);
        assert_eq!(t.candidate, (1.0 + 3.0 + 42.0) / 3.0);
        assert_eq!(t.blank, 0.5);
        assert_eq!(times(&seen, &kinds, true), None);
    }

    #[test]
    fn who_is_interrupted_far_more_often_than_the_other_drops_nothing() {
        let steady = took(&[10.0; 8]);
        let picky = took(&[1.0, 1.0, 1.0, 1.0, -9.0, -9.0, -9.0, -9.0]);
        let seen = seen([steady.clone(), steady], [picky.clone(), picky], took(&[0.5; 8]));
        let t = times(&seen, &[vec![true; 8], vec![true; 8]], true).unwrap();
        assert_eq!(t.candidate, 5.0);
    }

    #[test]
    fn slow_inputs_count_in_full() {
        let fast = took(&[10.0; 4]);
        let half_slow = took(&[1.0, 1.0, 100.0, 100.0]);
        let blank = took(&[0.5; 4]);
        let seen = seen([fast.clone(), fast], [half_slow.clone(), half_slow], blank);
        let t = times(&seen, &[vec![true; 4], vec![true; 4]], true).unwrap();
        assert_eq!(t.candidate, 50.5);
    }

    #[test]
    fn calls_that_are_always_disturbed_count_all_the_same() {
        let (fast, slow) = (took(&[10.0, 10.0]), took(&[-500.0, -700.0]));
        let seen = seen([fast.clone(), fast], [slow.clone(), slow], took(&[0.5; 2]));
        let t = times(&seen, &[vec![true; 2], vec![true; 2]], true).unwrap();
        assert_eq!((t.reference, t.candidate), (10.0, 600.0));
    }
}
