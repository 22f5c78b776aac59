//! Draws values for the names of a function.

use std::collections::BTreeMap;

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
    evaluate(draws, fixed, |draw| match draw {
        Draw::Choices(list) if !list.is_empty() => list[rng.random_range(0..list.len())],
        Draw::Range { from, to } => rng.random_range(*from..=(*to).max(*from)),
        Draw::Log { from, to } => {
            let (lo, hi) = ((*from as f64).ln(), ((*to).max(*from) as f64).ln());
            ((lo + (hi - lo) * rng.random::<f64>()).exp().round() as i64)
                .clamp(*from, (*to).max(*from))
        }
        Draw::Choices(_) | Draw::Expr(_) => 0,
    })
}

/// Gives every draw its smallest (or largest) value, and computes the rest.
pub fn extreme(draws: &[(String, Draw)], largest: bool) -> Result<Values, EvalError> {
    evaluate(draws, &Values::default(), |draw| match draw {
        Draw::Choices(list) => {
            let value = if largest { list.iter().max() } else { list.iter().min() };
            value.copied().unwrap_or(0)
        }
        Draw::Range { from, to } | Draw::Log { from, to } => *if largest { to } else { from },
        Draw::Expr(_) => 0,
    })
}

fn evaluate(
    draws: &[(String, Draw)],
    fixed: &Values,
    mut value: impl FnMut(&Draw) -> i64,
) -> Result<Values, EvalError> {
    let mut values = Values::default();
    for (name, draw) in draws {
        let v = match (fixed.0.get(name), draw) {
            (Some(fixed), _) => *fixed,
            (None, Draw::Expr(e)) => e.eval(&values)?,
            (None, drawn) => value(drawn),
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
}
