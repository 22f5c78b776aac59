//! A replicate: fresh processes, blocks of visits in balanced random order.

use std::time::Instant;

use rand::RngExt;
use rand::seq::SliceRandom;
use speedgate_harness::seal::Block;

use super::burst::{Burst, Forge};
use super::pace::{Pace, Target};
use super::sample::{self, Blocks};
use super::visit::{Broken, Side, Took, Visit, WRONG, visit};
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
            let made =
                forge.forge(target, pace, from..from + bursts, plain, sides.oracle, false)?;
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
        for (set, (bursts, _)) in sets.iter().enumerate() {
            if let Some((burst, reference)) = dispute(&seen, set, bursts) {
                let right = forge.judge(&bursts[burst], pace, sides.oracle)?;
                return Err(match reference == right {
                    true => Broken::Wrong { burst, why: WRONG.into() },
                    false => Broken::Unsteady,
                });
            }
        }
        let [first, second] = &sets;
        let kinds = [first, second]
            .map(|(bursts, _)| -> Vec<bool> { bursts.iter().map(|b| b.sealed).collect() });
        blocks.plain.extend(counted(&seen, &kinds, false));
        blocks.sealed.extend(counted(&seen, &kinds, true));
    }
    Ok(blocks)
}

/// The first burst of a set on whose outputs the two sides disagree, of those for which the oracle
/// was not asked, with what the reference committed to.
fn dispute(seen: &[(Side, usize, Visit)], set: usize, bursts: &[Burst]) -> Option<(usize, Block)> {
    let of = |side: Side| {
        let mine = seen.iter().find(|(s, n, _)| (*s, *n) == (side, set));
        mine.map(|(_, _, visit)| &visit.committed)
    };
    let both = of(Side::Reference)?.iter().zip(of(Side::Candidate)?).enumerate();
    both.zip(bursts)
        .find(|((_, (r, c)), burst)| burst.right.is_none() && r != c)
        .map(|((number, (reference, _)), _)| (number, *reference))
}

/// A block's sealed (or plain) bursts on each side. A burst in which either side lost its
/// processor does not count, nor does the other side's on the same input, so that both are over the
/// same inputs. Where that leaves nothing, all count: calls that are longer than a turn on a busy
/// processor are always interrupted. All count, too, where the candidate was interrupted much more
/// often than the reference: a worker can have that done to itself, and must not choose which
/// inputs count. `None` if there was no such burst.
fn counted(
    seen: &[(Side, usize, Visit)],
    kinds: &[Vec<bool>; 2],
    sealed: bool,
) -> Option<sample::Block> {
    let of = |side: Side, set: usize| {
        seen.iter().filter(move |(s, n, _)| *s == side && *n == set).map(|(_, _, visit)| visit)
    };
    let follows = |set: usize| {
        let at = seen.iter().position(|(s, n, _)| *s == Side::Reference && *n == set);
        at.is_some_and(|at| at > 0 && seen[at - 1].0 == Side::Candidate)
    };
    let mut pairs = Vec::new();
    let mut empty: Vec<Took> = Vec::new();
    for (set, kinds) in kinds.iter().enumerate() {
        let both = of(Side::Reference, set).next()?.took.iter();
        let both = both.zip(&of(Side::Candidate, set).next()?.took);
        let both = both.zip(kinds).filter(|(_, kind)| **kind == sealed);
        let after = follows(set);
        pairs.extend(both.filter_map(|((r, c), _)| Some(([(*r)?, (*c)?], after))));
        for visit in of(Side::Blank, set) {
            let ours = visit.took.iter().zip(kinds).filter(|(_, kind)| **kind == sealed);
            empty.extend(ours.filter_map(|(took, _)| *took));
        }
    }
    let hit = |side: usize| pairs.iter().filter(|(pair, _)| pair[side].disturbed).count();
    let by_chance = hit(1) <= 2 * hit(0) + pairs.len() / 8 + 1;
    if by_chance {
        left_alone(&mut pairs, |(pair, _)| pair.iter().any(|took| took.disturbed));
    }
    left_alone(&mut empty, |took| took.disturbed);
    let preparing = pairs.iter().map(|(pair, _)| pair.map(|took| took.preparing)).collect();
    let (pairs, after): (Vec<_>, Vec<_>) =
        pairs.into_iter().map(|(pair, after)| (pair.map(|took| took.nanoseconds), after)).unzip();
    let blank = empty.into_iter().map(|took| took.nanoseconds).collect();
    (!pairs.is_empty()).then_some(sample::Block { pairs, after, blank, preparing })
}

/// Keeps the bursts that were not disturbed; all if there are none.
fn left_alone<B>(bursts: &mut Vec<B>, disturbed: impl Fn(&B) -> bool) {
    if !bursts.iter().all(&disturbed) {
        bursts.retain(|b| !disturbed(b));
    }
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

    fn visit(took: Vec<Option<Took>>) -> Visit {
        let committed = vec![[0, 0]; took.len()];
        Visit { took, committed }
    }

    /// Bursts that took so long; a negative time was disturbed.
    fn took(times: &[f64]) -> Visit {
        let took = |t: &f64| Took { nanoseconds: t.abs(), preparing: 1.0, disturbed: *t < 0.0 };
        visit(times.iter().map(|t| Some(took(t))).collect())
    }

    #[test]
    fn what_is_dropped_on_one_side_is_dropped_on_the_other() {
        let late = |times: &[f64]| visit([vec![None], took(times).took].concat());
        let one = |x: f64| late(&[x, x + 2.0]);
        let gap = late(&[-90.0, 42.0]);
        let seen = seen([one(10.0), one(20.0)], [one(1.0), gap], took(&[0.5, 0.5, 9.0]));
        let kinds = [vec![false; 3], vec![false; 3]];
        let block = counted(&seen, &kinds, false).unwrap();
        assert_eq!(block.pairs, [[10.0, 1.0], [12.0, 3.0], [22.0, 42.0]]);
        assert_eq!(block.blank, [0.5, 0.5, 9.0]);
        assert_eq!(block.preparing, [[1.0, 1.0]; 3]);
        // The second set's reference visit came after the blank's.
        assert_eq!(block.after, [false; 3]);
        assert_eq!(counted(&seen, &kinds, true), None);
    }

    #[test]
    fn visits_right_after_the_candidate_are_known() {
        let visits = [Side::Candidate, Side::Reference, Side::Reference, Side::Candidate];
        let seen: Vec<_> = visits
            .into_iter()
            .zip([0, 0, 1, 1])
            .map(|(side, set)| (side, set, took(&[1.0])))
            .collect();
        let block = counted(&seen, &[vec![true], vec![true]], true).unwrap();
        assert_eq!(block.after, [true, false]);
    }

    #[test]
    fn who_is_interrupted_far_more_often_than_the_other_drops_nothing() {
        let steady = took(&[10.0; 8]);
        let picky = took(&[1.0, 1.0, 1.0, 1.0, -9.0, -9.0, -9.0, -9.0]);
        let seen = seen([steady.clone(), steady], [picky.clone(), picky], took(&[0.5; 8]));
        let block = counted(&seen, &[vec![true; 8], vec![true; 8]], true).unwrap();
        assert_eq!(block.pairs.len(), 16);
        assert_eq!(block.pairs.iter().filter(|pair| pair[1] == 9.0).count(), 8);
    }

    #[test]
    fn calls_that_are_always_disturbed_count_all_the_same() {
        let (fast, slow) = (took(&[10.0, 10.0]), took(&[-500.0, -700.0]));
        let seen = seen([fast.clone(), fast], [slow.clone(), slow], took(&[0.5; 2]));
        let block = counted(&seen, &[vec![true; 2], vec![true; 2]], true).unwrap();
        assert_eq!(block.pairs, [[10.0, 500.0], [10.0, 700.0], [10.0, 500.0], [10.0, 700.0]]);
    }
}
