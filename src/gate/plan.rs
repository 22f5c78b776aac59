//! Which calls a grading must complete: small and awkward sizes first, so that the first failure
//! is a small one, then random draws, then the timed profiles' own sizes.

use super::instance::{self, InstanceError, Maker, Values};
use super::own::Workshop;
use super::seed::Seed;
use crate::task::{Draw, Function, Task};
use crate::worker::request::{Instance, Mode};

/// Why a case is in the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// One draw at the edge of its range.
    Boundary,
    /// All draws at random.
    Random,
    /// A timed profile (index).
    Profile(usize),
}

/// One call of the plan. From the seed of the grading and its own number everything else follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Index into [`Task::functions`].
    pub function: usize,
    /// Number within the function's cases.
    pub number: u64,
    /// Why it is there.
    pub origin: Origin,
    /// Draws that are not random.
    pub fixed: Values,
}

/// How many cases of each kind a function gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Random draws.
    pub random: u64,
    /// Calls of each profile.
    pub profile: u64,
}

/// Distance between the first numbers of two kinds of cases.
const KIND: u64 = 1_000_000;

impl Plan {
    /// For `grade`.
    pub const GRADE: Self = Self { random: 300, profile: 4 };
    /// For `practice`, where somebody waits.
    pub const PRACTICE: Self = Self { random: 60, profile: 2 };

    /// The cases of one function, in order. Those of a smaller plan are among those of a larger
    /// one under the same numbers, so that what `practice` finds, `check` finds again.
    pub fn cases(&self, task: &Task, function: usize) -> Vec<Case> {
        let f = &task.functions[function];
        let mut cases: Vec<Case> = (0..)
            .zip(boundaries(f))
            .map(|(number, fixed)| Case { function, number, origin: Origin::Boundary, fixed })
            .collect();
        let mut some = |kind: u64, count: u64, origin: Origin| {
            let numbers = (0..count).map(|i| kind * KIND + i);
            cases.extend(numbers.map(|number| Case {
                function,
                number,
                origin: origin.clone(),
                fixed: Values::default(),
            }));
        };
        some(1, self.random, Origin::Random);
        for profile in 0..f.profiles.len() {
            some(2 + profile as u64, self.profile, Origin::Profile(profile));
        }
        cases
    }

    /// The case of a plan that has this name ([`Case::name`]), if there is one.
    pub fn case(&self, task: &Task, name: &str) -> Option<Case> {
        let (function, number) = name.split_once(':')?;
        let function = task.functions.iter().position(|f| f.name == function)?;
        let number: u64 = number.parse().ok()?;
        self.cases(task, function).into_iter().find(|case| case.number == number)
    }
}

impl Case {
    /// How it is called on a command line: `rank:17`.
    pub fn name(&self, task: &Task) -> String {
        format!("{}:{}", task.functions[self.function].name, self.number)
    }

    /// The call itself, and the values it was made from; generators of the task's own run in
    /// `workshop`.
    pub fn make(
        &self,
        seed: Seed,
        task: &Task,
        symbols: &[String],
        workshop: &mut dyn Workshop,
    ) -> Result<(Instance, Values), InstanceError> {
        let f = &task.functions[self.function];
        let mut rng = seed.stream("gate", &f.name, self.number);
        let (draws, fills) = match self.origin {
            Origin::Profile(p) => (&f.profiles[p].draws, &f.profiles[p].fills[..]),
            _ => (&f.draws, &[][..]),
        };
        let values = instance::draw(&f.name, draws, &self.fixed, &mut rng)?;
        let instance = Maker::new(f, symbols, fills).make(&values, workshop, &mut rng)?;
        Ok((instance, values))
    }

    /// How its inputs travel: read-only in clear, or sealed, in turn.
    pub fn mode(&self) -> Mode {
        if self.number.is_multiple_of(2) {
            Mode::Plain { read_only: true }
        } else {
            Mode::Sealed { chained: false }
        }
    }

    /// Its poison: two patterns that differ in every byte, in turn.
    pub fn poison(&self) -> u8 {
        if (self.number / 2).is_multiple_of(2) { 0x5A } else { 0xA5 }
    }
}

/// Each draw at each of its edges while the others are random; and all at their smallest, all at
/// their largest.
fn boundaries(f: &Function) -> Vec<Values> {
    let edges: Vec<(&String, Vec<i64>)> =
        f.draws.iter().map(|(name, draw)| (name, edges(draw))).collect();
    let pick = |end: fn(&Vec<i64>) -> Option<&i64>| -> Values {
        Values(edges.iter().filter_map(|(n, e)| Some(((*n).clone(), *end(e)?))).collect())
    };
    let mut all = vec![pick(|e| e.first())];
    for (name, values) in &edges {
        all.extend(values.iter().map(|&v| Values([((*name).clone(), v)].into())));
    }
    all.push(pick(|e| e.last()));
    all.retain(|fixed| !fixed.0.is_empty());
    all
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
mod tests {
    use super::*;

    #[test]
    fn edges_stay_inside_and_hold_the_ends() {
        let e = edges(&Draw::Range { from: 3, to: 300 });
        assert_eq!((e[0], *e.last().unwrap()), (3, 300));
        assert!(e.windows(2).all(|w| w[0] < w[1]));
        for wanted in [4, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 299] {
            assert!(e.contains(&wanted), "{wanted}");
        }
        assert_eq!(edges(&Draw::Range { from: 5, to: 5 }), [5]);
        assert_eq!(edges(&Draw::Choices(vec![9, 2, 9])), [2, 9]);
    }
}
