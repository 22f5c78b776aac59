//! Arrays of numbers with a pattern: what uniform draws never show.
//!
//! Options (each a number or a list of numbers):
//! - `within = [lo, hi]`: bounds of the values. Default: all that an integer holds, for floats −1 to 1.
//! - `share = p` (`edges`): how many elements are edges. Default 0.5.
//! - `density = p` (`sparse`, `mask`): how many elements are not zero; of two numbers each array draws
//!   its own in between. Default 0.05 for `sparse`; a mask draws from 0 to 1.
//! - `length = r` or `[lo, hi]` (`runs`): mean length of a run; of two numbers each array draws its own
//!   in between (uniform in the logarithm). Default `[2, 64]`.

use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;

use super::numbers::between;
use super::{GenError, Made};
use crate::task::prototype::CType;

/// Names of these generators with the options each takes.
pub const BUILTIN: &[(&str, &[&str])] = &[
    ("zeros", &[]),
    ("ones", &[]),
    ("edges", &["within", "share"]),
    ("ramp", &["within"]),
    ("sparse", &["within", "density"]),
    ("sorted", &["within"]),
    ("runs", &["within", "length"]),
    ("mask", &["density"]),
];

/// The classes of arrays that a generator makes.
pub fn classes(name: &str) -> &'static [&'static str] {
    match name {
        "ramp" => &["rising", "falling"],
        "sorted" => &["ascending", "descending"],
        "mask" => &["none", "all", "mixed"],
        _ => &[],
    }
}

/// `n` elements by the generator `name`. `None`: it is none of these.
pub fn fill(
    name: &str,
    options: &[(String, Vec<f64>)],
    elem: CType,
    n: u64,
    rng: &mut ChaCha8Rng,
) -> Option<Result<Made, GenError>> {
    let &(name, allowed) = BUILTIN.iter().find(|(known, _)| *known == name)?;
    Some(Options::parse(name, allowed, options, elem).and_then(|o| {
        let bits_only = matches!(name, "ones" | "edges" | "mask");
        if elem == CType::Void || (bits_only && elem.is_float()) {
            return Err(GenError::element(name, elem));
        }
        Ok(pattern(name, &o, elem, n as usize, rng))
    }))
}

fn pattern(name: &'static str, o: &Options, elem: CType, n: usize, rng: &mut ChaCha8Rng) -> Made {
    let mut class = None;
    let values: Vec<Value> = match name {
        "zeros" => vec![o.zero(); n],
        "ones" => vec![Value::Int(if elem == CType::Bool { 1 } else { -1 }); n],
        "edges" => {
            let edges = edges(elem, o);
            let one = |rng: &mut ChaCha8Rng| match rng.random_bool(o.share) {
                true => Value::Int(edges[rng.random_range(0..edges.len())]),
                false if o.bounded || elem == CType::Bool => o.draw(rng),
                // All bits of the type: 64 of them have no bounds here.
                false => Value::Int(rng.next_u64() as i64),
            };
            (0..n).map(|_| one(rng)).collect()
        }
        "ramp" => {
            let rising: bool = rng.random();
            class = Some(usize::from(!rising));
            ramp(o, n, rising, rng)
        }
        "sparse" => {
            let density = o.density(rng);
            let zero = o.zero();
            (0..n).map(|_| if rng.random_bool(density) { o.draw(rng) } else { zero }).collect()
        }
        "sorted" => {
            let mut values: Vec<Value> = (0..n).map(|_| o.draw(rng)).collect();
            values.sort_by(Value::compare);
            let descending: bool = rng.random();
            if descending {
                values.reverse();
            }
            class = Some(usize::from(descending));
            values
        }
        "runs" => {
            let (lo, hi) = (o.length.0.ln(), o.length.1.ln());
            let mean = (lo + (hi - lo) * rng.random::<f64>()).exp();
            let mut value = o.draw(rng);
            let next = |_| {
                if rng.random_bool((1.0 / mean).min(1.0)) {
                    value = o.draw(rng);
                }
                value
            };
            (0..n).map(next).collect()
        }
        _ => {
            // The two uniform masks are what masked kernels have shortcuts for.
            let kind = rng.random_range(0..4).min(2);
            class = Some(kind);
            let density = match kind {
                0 => 0.0,
                1 => 1.0,
                _ => o.density(rng),
            };
            let set = if elem == CType::Bool { 1 } else { -1 };
            (0..n).map(|_| Value::Int(if rng.random_bool(density) { set } else { 0 })).collect()
        }
    };
    let mut bytes = Vec::with_capacity(n * elem.size() as usize);
    values.into_iter().for_each(|v| v.write(elem, &mut bytes));
    let class = class.filter(|_| n > 0).map(|c| classes(name)[c]);
    Made { bytes, classes: class.into_iter().collect() }
}

/// Equal steps: integers start anew at the other bound, floats go once from bound to bound.
fn ramp(o: &Options, n: usize, rising: bool, rng: &mut ChaCha8Rng) -> Vec<Value> {
    match o.within {
        Within::Int(lo, hi) => {
            let span = i128::from(hi) - i128::from(lo) + 1;
            let most = span.clamp(2, 8);
            let step = rng.random_range(1..most);
            let step = if rising { step } else { -step };
            let start = rng.random_range(0..span);
            let at = |i: usize| (start + step * i as i128).rem_euclid(span) + i128::from(lo);
            (0..n).map(|i| Value::Int(at(i) as i64)).collect()
        }
        Within::Float(lo, hi) => {
            let at = |i: usize| {
                let t = i as f64 / n.max(2) as f64;
                between(lo, hi, if rising { t } else { 1.0 - t })
            };
            (0..n).map(|i| Value::Float(at(i))).collect()
        }
    }
}

/// The ends of the range, and what lies beside powers of two.
fn edges(elem: CType, o: &Options) -> Vec<i64> {
    let powers = (0..63).flat_map(|k| [(1i64 << k) - 1, 1 << k, (1i64 << k) + 1]);
    let both = powers.flat_map(|v| [v, -v]).chain([i64::MIN, i64::MIN + 1, i64::MAX]);
    let Within::Int(lo, hi) = o.within else { return vec![0] };
    let mut all: Vec<i64> = both.filter(|v| (lo..=hi).contains(v)).chain([lo, hi]).collect();
    if !o.bounded && elem == CType::Uint(8) {
        // As signed numbers those above 2^63 are negative.
        all.extend([-1, -2, i64::MIN, i64::MIN + 1]);
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// One element.
#[derive(Debug, Clone, Copy)]
enum Value {
    Int(i64),
    Float(f64),
}

impl Value {
    fn compare(&self, other: &Self) -> std::cmp::Ordering {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            (Value::Float(a), Value::Float(b)) => a.total_cmp(b),
            _ => std::cmp::Ordering::Equal,
        }
    }

    fn write(self, elem: CType, out: &mut Vec<u8>) {
        match (self, elem) {
            (Value::Float(v), CType::F32) => out.extend_from_slice(&(v as f32).to_le_bytes()),
            (Value::Float(v), _) => out.extend_from_slice(&v.to_le_bytes()),
            // Two's complement: the low bytes of the wide value are the narrow one.
            (Value::Int(v), _) => {
                out.extend_from_slice(&v.to_le_bytes()[..elem.size() as usize]);
            }
        }
    }
}

/// Bounds of the values.
#[derive(Debug, Clone, Copy)]
enum Within {
    Int(i64, i64),
    Float(f64, f64),
}

/// What the manifest may say about an array.
struct Options {
    within: Within,
    /// The bounds are the manifest's.
    bounded: bool,
    share: f64,
    density: Option<(f64, f64)>,
    sparse: bool,
    length: (f64, f64),
}

impl Options {
    fn parse(
        name: &'static str,
        allowed: &[&str],
        given: &[(String, Vec<f64>)],
        elem: CType,
    ) -> Result<Options, GenError> {
        let within = match elem.range() {
            Some(range) => Within::Int(*range.start(), *range.end()),
            None => Within::Float(-1.0, 1.0),
        };
        let mut options = Options {
            within,
            bounded: false,
            share: 0.5,
            density: None,
            sparse: name == "sparse",
            length: (2.0, 64.0),
        };
        for (key, values) in given {
            let wrong = |why: &'static str| Err(GenError::option(name, key, why));
            match (key.as_str(), &values[..]) {
                (key, _) if !allowed.contains(&key) => {
                    return wrong("is no option of this generator");
                }
                ("within", &[lo, hi]) if lo <= hi => {
                    options.bounded = true;
                    options.within = match elem.range() {
                        None => Within::Float(lo, hi),
                        Some(held) => {
                            let (from, to) = (lo as i64, hi as i64);
                            let whole = from as f64 == lo && to as f64 == hi;
                            if !whole || !held.contains(&from) || !held.contains(&to) {
                                return wrong("has bounds that the element's type can't hold");
                            }
                            Within::Int(from, to)
                        }
                    };
                }
                ("within", _) => return wrong("takes the lowest and the highest value"),
                ("share", &[p]) if (0.0..=1.0).contains(&p) => options.share = p,
                ("share", _) => return wrong("takes one probability"),
                ("density", &[p]) if (0.0..=1.0).contains(&p) => options.density = Some((p, p)),
                ("density", &[lo, hi]) if 0.0 <= lo && lo <= hi && hi <= 1.0 => {
                    options.density = Some((lo, hi));
                }
                ("density", _) => return wrong("takes a probability, or two of them"),
                ("length", &[r]) if (1.0..=1e9).contains(&r) => options.length = (r, r),
                ("length", &[lo, hi]) if 1.0 <= lo && lo <= hi && hi <= 1e9 => {
                    options.length = (lo, hi);
                }
                _ => return wrong("takes a mean length of at least 1, or two of them"),
            }
        }
        Ok(options)
    }

    fn draw(&self, rng: &mut ChaCha8Rng) -> Value {
        match self.within {
            Within::Int(lo, hi) => Value::Int(rng.random_range(lo..=hi)),
            Within::Float(lo, hi) => Value::Float(between(lo, hi, rng.random())),
        }
    }

    /// Zero, or what is nearest to it.
    fn zero(&self) -> Value {
        match self.within {
            Within::Int(lo, hi) => Value::Int(0.clamp(lo, hi)),
            Within::Float(lo, hi) => Value::Float(0f64.clamp(lo, hi)),
        }
    }

    fn density(&self, rng: &mut ChaCha8Rng) -> f64 {
        let usual = if self.sparse { (0.05, 0.05) } else { (0.0, 1.0) };
        let (lo, hi) = self.density.unwrap_or(usual);
        (lo + (hi - lo) * rng.random::<f64>()).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    fn made(
        name: &str,
        (key, values): (&str, &[f64]),
        elem: CType,
        n: u64,
    ) -> Result<Vec<u8>, GenError> {
        let options = [(key.to_owned(), values.to_vec())];
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        fill(name, &options, elem, n, &mut rng).unwrap().map(|made| made.bytes)
    }

    #[test]
    fn wrong_options_are_refused_each_with_its_reason() {
        let order = "takes the lowest and the highest value";
        let held = "has bounds that the element's type can't hold";
        let length = "takes a mean length of at least 1, or two of them";
        for (name, key, values, why) in [
            ("ramp", "within", &[5.0, 1.0][..], order),
            ("ramp", "within", &[5.0], order),
            ("ramp", "within", &[-1.0, 3.0], held),
            ("ramp", "within", &[0.0, 300.0], held),
            ("ramp", "within", &[0.5, 3.0], held),
            ("ramp", "within", &[0.0, 3.5], held),
            ("edges", "share", &[1.5], "takes one probability"),
            ("edges", "share", &[0.1, 0.2], "takes one probability"),
            ("mask", "density", &[-0.5], "takes a probability, or two of them"),
            ("runs", "length", &[0.5], length),
            ("runs", "length", &[0.5, 2.0], length),
            ("runs", "length", &[8.0, 2.0], length),
            ("runs", "length", &[2.0, 2e9], length),
            ("runs", "share", &[0.5], "is no option of this generator"),
        ] {
            let refused = made(name, (key, values), CType::Uint(1), 3);
            assert_eq!(refused, Err(GenError::option(name, key, why)), "{values:?}");
        }
    }

    #[test]
    fn zero_is_what_is_nearest_to_it() {
        let sparse = made("sparse", ("within", &[2.0, 3.0]), CType::F64, 100).unwrap();
        let all: Vec<f64> =
            sparse.as_chunks::<8>().0.iter().map(|v| f64::from_le_bytes(*v)).collect();
        assert!(all.iter().all(|v| (2.0..=3.0).contains(v)), "{all:?}");
        assert!(all.iter().filter(|v| **v == 2.0).count() > 50, "{all:?}");
    }

    #[test]
    fn a_mask_is_none_all_or_mixed_as_its_class_says() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let density = [("density".to_owned(), vec![0.25, 0.75])];
        let mut seen = [0; 3];
        for _ in 0..100 {
            let made = fill("mask", &density, CType::Uint(1), 256, &mut rng).unwrap().unwrap();
            let set = made.bytes.iter().filter(|b| **b == 0xFF).count();
            assert_eq!(made.bytes.iter().filter(|b| **b == 0).count(), 256 - set);
            let class = classes("mask").iter().position(|name| *name == made.classes[0]).unwrap();
            assert_eq!(
                class,
                if set == 0 {
                    0
                } else if set == 256 {
                    1
                } else {
                    2
                }
            );
            seen[class] += 1;
        }
        assert!(seen.iter().all(|times| *times > 10), "{seen:?}");
    }

    #[test]
    fn edges_of_the_widest_type_are_those_of_either_sign() {
        let edges = made("edges", ("share", &[1.0]), CType::Uint(8), 20_000).unwrap();
        let all = edges.as_chunks::<8>().0;
        for edge in [0, 1, u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) + 1, (1 << 63) - 1] {
            assert!(all.contains(&edge.to_le_bytes()), "{edge:#x}");
        }
    }
}
