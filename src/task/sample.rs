//! Draws values for the names of a function.

use std::collections::BTreeMap;

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::Draw;
use super::expression::{EvalError, Scope};

/// Values of draws and scalars.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values(pub BTreeMap<String, i64>);

impl Scope for Values {
    fn name(&self, name: &str) -> Option<i64> {
        self.0.get(name).copied()
    }
}

/// Draws every value once; names in `fixed` keep the value they have there. `draws` are in
/// evaluation order.
pub fn sample(
    draws: &[(String, Draw)],
    fixed: &Values,
    rng: &mut impl Rng,
) -> Result<Values, EvalError> {
    evaluate(draws, fixed, |_, draw| at(draw, rng.random()))
}

/// Draws `count` sets of values, stratified: each of the `count` equal shares of a name's
/// distribution occurs exactly once, names independently of each other (a Latin hypercube: McKay,
/// Beckman and Conover, Technometrics 21, 1979). So every batch has the same mix.
pub fn stratified(
    draws: &[(String, Draw)],
    count: usize,
    rng: &mut impl Rng,
) -> Result<Vec<Values>, EvalError> {
    let mut shuffled = || {
        let mut shares: Vec<usize> = (0..count).collect();
        shares.shuffle(rng);
        shares
    };
    let shares: Vec<Vec<usize>> = draws.iter().map(|_| shuffled()).collect();
    let none = Values::default();
    let one = |k: usize| {
        evaluate(draws, &none, |name, draw| {
            let share = shares[name][k] as f64 + rng.random::<f64>();
            at(draw, share / count as f64)
        })
    };
    (0..count).map(one).collect()
}

/// Whether the names have the same values whenever they are drawn.
pub fn is_fixed(draws: &[(String, Draw)]) -> bool {
    draws.iter().all(|(_, draw)| match draw {
        Draw::Choices(list) => list.iter().all(|x| *x == list[0]),
        Draw::Range { from, to } | Draw::Log { from, to } => from >= to,
        Draw::Expr(_) => true,
    })
}

/// The value at a place in a draw's distribution; `share` from 0 up to 1.
fn at(draw: &Draw, share: f64) -> i64 {
    match draw {
        Draw::Choices(list) if !list.is_empty() => {
            list[((share * list.len() as f64) as usize).min(list.len() - 1)]
        }
        Draw::Range { from, to } => {
            let to = (*to).max(*from);
            let count = (to as i128 - *from as i128 + 1) as f64;
            from.saturating_add((share * count) as i64).min(to)
        }
        Draw::Log { from, to } => {
            let (lo, hi) = ((*from as f64).ln(), ((*to).max(*from) as f64).ln());
            ((lo + (hi - lo) * share).exp().round() as i64).clamp(*from, (*to).max(*from))
        }
        Draw::Choices(_) | Draw::Expr(_) => 0,
    }
}

/// Computes what follows from values that are all given.
pub fn computed(draws: &[(String, Draw)], given: &Values) -> Result<Values, EvalError> {
    evaluate(draws, given, |_, _| 0)
}

/// Gives every draw its smallest (or largest) value, and computes the rest.
pub fn extreme(draws: &[(String, Draw)], largest: bool) -> Result<Values, EvalError> {
    evaluate(draws, &Values::default(), |_, draw| match draw {
        Draw::Choices(list) => {
            let value = if largest { list.iter().max() } else { list.iter().min() };
            value.copied().unwrap_or(0)
        }
        Draw::Range { from, to } | Draw::Log { from, to } => *if largest { to } else { from },
        Draw::Expr(_) => 0,
    })
}

/// `value` gives that of a drawn name, by its index.
fn evaluate(
    draws: &[(String, Draw)],
    fixed: &Values,
    mut value: impl FnMut(usize, &Draw) -> i64,
) -> Result<Values, EvalError> {
    let mut values = Values::default();
    for (index, (name, draw)) in draws.iter().enumerate() {
        let v = match (fixed.0.get(name), draw) {
            (Some(fixed), _) => *fixed,
            (None, Draw::Expr(e)) => e.eval(&values)?,
            (None, drawn) => value(index, drawn),
        };
        values.0.insert(name.clone(), v);
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::task::expression::Expr;

    proptest! {
        #[test]
        fn values_are_what_the_draws_say(
            seed: u64, a in 1i64..1_000_000, b in 1i64..1_000_000, list in prop::collection::vec(any::<i64>(), 1..5)
        ) {
            let (from, to) = (a.min(b), a.max(b));
            let draws: Vec<(String, Draw)> = vec![
                ("c".into(), Draw::Choices(list.clone())),
                ("r".into(), Draw::Range { from: -to, to }),
                ("l".into(), Draw::Log { from, to }),
                ("e".into(), Draw::Expr(Expr::parse("r + l").unwrap())),
            ];
            let v = sample(&draws, &Values::default(), &mut ChaCha8Rng::seed_from_u64(seed)).unwrap().0;
            prop_assert!(list.contains(&v["c"]));
            prop_assert!((-to..=to).contains(&v["r"]));
            prop_assert!((from..=to).contains(&v["l"]));
            prop_assert_eq!(v["e"], v["r"] + v["l"]);
            let (low, high) = (extreme(&draws, false).unwrap().0, extreme(&draws, true).unwrap().0);
            prop_assert_eq!((low["r"], low["l"], low["e"]), (-to, from, from - to));
            prop_assert_eq!((high["r"], high["l"], high["e"]), (to, to, to + to));
        }
    }

    #[test]
    fn logarithmic_draws_favour_no_magnitude() {
        let draws = [("n".to_owned(), Draw::Log { from: 1, to: 1 << 20 })];
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let small = (0..2000)
            .filter(|_| sample(&draws, &Values::default(), &mut rng).unwrap().0["n"] < 1 << 10)
            .count();
        assert!(
            (850..1150).contains(&small),
            "{small} of 2000 in the lower half of the magnitudes"
        );
    }

    #[test]
    fn a_stratified_batch_has_every_share_once() {
        let draws = vec![
            ("c".to_owned(), Draw::Choices(vec![1, 2, 3, 4])),
            ("r".to_owned(), Draw::Range { from: 10, to: 29 }),
            ("e".to_owned(), Draw::Expr(Expr::parse("c * 100").unwrap())),
        ];
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let all = stratified(&draws, 20, &mut rng).unwrap();
        let count = |name: &str, value: i64| all.iter().filter(|v| v.0[name] == value).count();
        assert!((1..=4).all(|c| count("c", c) == 5 && count("e", 100 * c) == 5));
        assert!((10..=29).all(|r| count("r", r) == 1));
        // Names are independent: the fives of one do not all meet the same of the other.
        let sum: i64 = all.iter().filter(|v| v.0["c"] == 1).map(|v| v.0["r"]).sum();
        assert_ne!(sum, (10..15).sum::<i64>());
        assert!(!is_fixed(&draws) && is_fixed(&draws[2..]));
    }
}
