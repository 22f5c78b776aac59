//! Which calls a grading must complete: sizes at every edge, random draws, every alignment, shared
//! memory, and the timed profiles' own sizes.

use std::collections::HashSet;

use super::case::{Case, Origin, Placement};
use super::instance::Values;
use crate::task::{Arg, Draw, Function, Task};

/// How many cases of each kind a function gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Random draws.
    pub random: u64,
    /// Calls of each profile.
    pub profile: u64,
    /// Calls with buffers at alignments of their own.
    pub alignments: u64,
    /// Calls of each pair of buffers that may be the same memory.
    pub aliased: u64,
    /// Processes after the first one, each of which makes some of the calls again.
    pub processes: u64,
}

/// Distance between the first numbers of two kinds of cases.
const KIND: u64 = 1_000_000;
/// The first kinds: boundaries, random draws, alignments; then the pairs of `alias`, known answers, then
/// profiles.
const RANDOM: u64 = 1;
const ALIGNMENT: u64 = 2;
const ALIAS: u64 = 10;
const KNOWN: u64 = 99;
const PROFILE: u64 = 100;

/// Calls of each vector of known answers: in clear and sealed, at both ends.
const EACH_KNOWN: u64 = 4;

/// Sizes up to here are tried one by one: the widest vector four times over, and one more.
const DENSE: i64 = 257;

impl Plan {
    /// For `grade`.
    pub const GRADE: Self =
        Self { random: 300, profile: 4, alignments: 128, aliased: 64, processes: 4 };
    /// For `practice`, where somebody waits.
    pub const PRACTICE: Self =
        Self { random: 60, profile: 2, alignments: 64, aliased: 24, processes: 2 };

    /// The cases of one function. Those of a smaller plan are among those of a larger one under
    /// the same numbers, so that what `practice` finds, `check` finds again.
    pub fn cases(&self, task: &Task, function: usize) -> Vec<Case> {
        let f = &task.functions[function];
        let case = |number, origin, placement, fixed| {
            Case::new(function, number, origin, placement, fixed)
        };
        let mut cases: Vec<Case> = (0..)
            .zip(boundaries(f))
            .map(|(number, (fixed, at))| case(number, Origin::Boundary, at, fixed))
            .collect();
        for (vector, known) in f.known.iter().enumerate() {
            let first = KNOWN * KIND + EACH_KNOWN * vector as u64;
            let fixed = |i| case(first + i, Origin::Known(vector), ends(i), known.draws.clone());
            cases.extend((0..EACH_KNOWN).map(fixed));
        }
        let mut some = |kind: u64, count, origin, placement: fn(u64) -> Placement| {
            cases.extend(
                (0..count).map(|i| case(kind * KIND + i, origin, placement(i), Values::default())),
            );
        };
        some(RANDOM, self.random, Origin::Random, |_| Placement::Drawn);
        if !f.buffers.is_empty() {
            some(ALIGNMENT, self.alignments, Origin::Alignment, Placement::Spread);
        }
        for pair in 0..f.alias.len() {
            some(ALIAS + pair as u64, self.aliased, Origin::Alias(pair), ends);
        }
        for profile in 0..f.profiles.len() {
            let origin = Origin::Profile(profile);
            some(PROFILE + profile as u64, self.profile, origin, |_| Placement::Drawn);
        }
        cases
    }

    /// The calls that this name stands for ([`Case::name`]; several are separated by commas and made
    /// in order in one process), if there are such in the plan.
    pub fn sequence(&self, task: &Task, names: &str) -> Option<Vec<Case>> {
        names.split(',').map(|name| self.case(task, name)).collect()
    }

    fn case(&self, task: &Task, name: &str) -> Option<Case> {
        let mut parts = name.split(':');
        let function = parts.next()?;
        let number: u64 = parts.next()?.parse().ok()?;
        let function = task.functions.iter().position(|f| f.name == function)?;
        let planned = self.cases(task, function);
        planned.into_iter().find(|case| case.number == number)?.reduced(parts, task)
    }
}

/// Both ends in turn. Cases come as plain and sealed in turn, too: which of the two meets which end
/// changes every four cases.
fn ends(number: u64) -> Placement {
    if (number ^ number >> 2) & 1 == 0 { Placement::AtEnd } else { Placement::AtStart }
}

/// Each draw at each of its edges while the others are random; and all at their smallest, all at
/// their largest. Where sizes depend on the draw, flush at both ends.
fn boundaries(f: &Function) -> Vec<(Values, Placement)> {
    let sizing = sizing(f);
    let edges: Vec<(&String, Vec<i64>)> = f.draws.iter().map(|(n, d)| (n, edges(d))).collect();
    let pick = |end: fn(&Vec<i64>) -> Option<&i64>| -> Values {
        Values(edges.iter().filter_map(|(n, e)| Some(((*n).clone(), *end(e)?))).collect())
    };
    let (smallest, largest) = (pick(|e| e.first()), pick(|e| e.last()));
    let mut all: Vec<(Values, Placement)> = Vec::new();
    let mut add = |fixed: Values, both: bool| {
        // A function of one draw has its extremes among the edges of that.
        if fixed.0.is_empty() || all.iter().any(|(known, _)| *known == fixed) {
            return;
        }
        let first = all.len() as u64;
        all.push((fixed.clone(), if both { ends(first) } else { Placement::Drawn }));
        if both {
            let other = match ends(first) {
                Placement::AtEnd => Placement::AtStart,
                _ => Placement::AtEnd,
            };
            all.push((fixed, other));
        }
    };
    add(smallest, true);
    add(largest, true);
    for ((name, draw), (_, values)) in f.draws.iter().zip(&edges) {
        let sizes = sizing.contains(name.as_str());
        for &value in values {
            add(Values([(name.clone(), value)].into()), sizes);
        }
        if let (true, Draw::Range { from, to } | Draw::Log { from, to }) = (sizes, draw) {
            // One by one, while other sizes are small: it is this one's tail that is looked for.
            for value in (*from).max(0)..=(*to).min(DENSE) {
                if values.binary_search(&value).is_err() {
                    let mut fixed = Values([(name.clone(), value)].into());
                    fixed.0.extend(small(f, &sizing, name, value));
                    add(fixed, true);
                }
            }
        }
    }
    all
}

/// Small values for all sizes but one.
fn small(
    f: &Function,
    sizing: &HashSet<&str>,
    but: &str,
    value: i64,
) -> impl Iterator<Item = (String, i64)> {
    f.draws.iter().filter_map(move |(name, draw)| match draw {
        Draw::Range { from, to } | Draw::Log { from, to }
            if name != but && sizing.contains(name.as_str()) =>
        {
            Some((name.clone(), from.saturating_add(value % 5).min(*to)))
        }
        _ => None,
    })
}

/// The draws that the size of a buffer, or a place in one, depends on.
fn sizing(f: &Function) -> HashSet<&str> {
    let extents = f.buffers.iter().flat_map(|b| {
        [Some(&b.cols), b.rows.as_ref(), b.stride.as_ref(), b.room.as_ref()].into_iter().flatten()
    });
    let offsets = f.calls.iter().flat_map(|c| &c.args).filter_map(|a| match a {
        Arg::Pointer { offset, .. } => Some(offset),
        Arg::Int { .. } => None,
    });
    let mut found: HashSet<&str> = extents.chain(offsets).flat_map(|e| e.names()).collect();
    // In evaluation order a value only needs earlier ones: one walk backwards finds them all.
    for (name, draw) in f.draws.iter().rev() {
        if let (true, Draw::Expr(e)) = (found.contains(name.as_str()), draw) {
            found.extend(e.names());
        }
    }
    found
}

/// Edges of a draw, ascending: its ends, every size up to 33 and the neighbours of powers of two.
pub(super) fn edges(draw: &Draw) -> Vec<i64> {
    let (from, to) = match draw {
        Draw::Choices(all) => {
            let mut all = all.clone();
            all.sort_unstable();
            all.dedup();
            return all;
        }
        Draw::Range { from, to } | Draw::Log { from, to } => (*from, *to),
        Draw::Expr(_) => return Vec::new(),
    };
    let powers = (0..62).flat_map(|k| [(1i64 << k) - 1, 1 << k, (1 << k) + 1]);
    let near = [from, from.saturating_add(1), to.saturating_sub(1), to]
        .into_iter()
        .chain(0..=33)
        .chain(powers);
    let mut all: Vec<i64> = near.filter(|v| (from..=to).contains(v)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
