//! Floating-point numbers of every magnitude: each exponent as often as any other.
//!
//! Options: `exponents = [lo, hi]` bounds the powers of two (default: all normal numbers); `nan`,
//! `infinity`, `subnormal` and `zero` are the probabilities that an element is such a value (default
//! 0). NaNs are quiet, with any payload and sign.

use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;

use super::{GenError, Made};
use crate::task::prototype::CType;

/// Options of the generator.
pub const OPTIONS: &[&str] = &["exponents", "nan", "infinity", "subnormal", "zero"];

/// Kinds of special values, as options and as classes.
pub const SPECIAL: [&str; 4] = ["nan", "infinity", "subnormal", "zero"];

/// The layout of a type.
#[derive(Debug, Clone, Copy)]
struct Format {
    mantissa: u32,
    /// Exponent of 1.
    bias: u64,
    size: usize,
}

impl Format {
    fn of(elem: CType) -> Option<Self> {
        match elem {
            CType::F32 => Some(Self { mantissa: 23, bias: 127, size: 4 }),
            CType::F64 => Some(Self { mantissa: 52, bias: 1023, size: 8 }),
            _ => None,
        }
    }

    fn fraction(self, rng: &mut ChaCha8Rng) -> u64 {
        rng.next_u64() & ((1 << self.mantissa) - 1)
    }

    fn bits(self, negative: bool, exponent: u64, fraction: u64) -> u64 {
        let sign = u64::from(negative) << (8 * self.size - 1);
        sign + (exponent << self.mantissa) + fraction
    }

    /// A special value of a kind.
    fn special(self, kind: usize, rng: &mut ChaCha8Rng) -> u64 {
        let (top, quiet) = (2 * self.bias + 1, 1 << (self.mantissa - 1));
        let (exponent, fraction) = match kind {
            0 => (top, self.fraction(rng) | quiet),
            1 => (top, 0),
            2 => (0, self.fraction(rng).max(1)),
            _ => (0, 0),
        };
        self.bits(rng.random(), exponent, fraction)
    }
}

/// The bits of a special value of kind `kind` (as in [`SPECIAL`]) of a floating-point type.
pub fn special(elem: CType, kind: usize, rng: &mut ChaCha8Rng) -> u64 {
    Format::of(elem).map_or(0, |format| format.special(kind, rng))
}

/// `n` elements.
pub fn fill(
    options: &[(String, Vec<f64>)],
    elem: CType,
    n: u64,
    rng: &mut ChaCha8Rng,
) -> Result<Made, GenError> {
    let format = Format::of(elem).ok_or_else(|| GenError::element("floats", elem))?;
    let (mut lowest, mut highest) = (1, 2 * format.bias);
    let mut chances = [0.0; 4];
    for (key, values) in options {
        let wrong = |why: &'static str| Err(GenError::option("floats", key, why));
        let special = SPECIAL.iter().position(|s| s == key);
        match (special, &values[..]) {
            (Some(kind), &[p]) if (0.0..=1.0).contains(&p) => chances[kind] = p,
            (Some(_), _) => return wrong("takes one probability"),
            (None, &[lo, hi]) if key == "exponents" && lo <= hi => {
                let biased = |e: f64| (e as i64).saturating_add(format.bias as i64);
                (lowest, highest) = match (biased(lo), biased(hi)) {
                    (lo @ 1.., hi) if hi <= 2 * format.bias as i64 => (lo as u64, hi as u64),
                    _ => return wrong("has bounds that no normal number of the type has"),
                };
            }
            _ if key == "exponents" => {
                return wrong("takes the lowest and the highest power of two");
            }
            _ => return wrong("is no option of this generator"),
        }
    }
    if chances.iter().sum::<f64>() > 1.0 {
        return Err(GenError::option("floats", "nan", "and the other probabilities exceed 1"));
    }
    let mut seen = [false; 4];
    let mut bytes = Vec::with_capacity(n as usize * format.size);
    for _ in 0..n {
        let mut at: f64 = rng.random();
        let kind = chances.iter().position(|p| {
            let hit = at < *p;
            at -= p;
            hit
        });
        let bits = match kind {
            Some(kind) => {
                seen[kind] = true;
                format.special(kind, rng)
            }
            None => {
                let exponent = rng.random_range(lowest..=highest);
                let fraction = format.fraction(rng);
                format.bits(rng.random(), exponent, fraction)
            }
        };
        bytes.extend_from_slice(&bits.to_le_bytes()[..format.size]);
    }
    let classes = SPECIAL.iter().zip(seen).filter(|(_, seen)| *seen).map(|(name, _)| *name);
    Ok(Made { bytes, classes: classes.collect() })
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    fn made(elem: CType, options: &[(&str, &[f64])]) -> Result<Vec<u8>, GenError> {
        let options: Vec<_> = options.iter().map(|(k, v)| ((*k).to_owned(), v.to_vec())).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        fill(&options, elem, 50, &mut rng).map(|made| made.bytes)
    }

    #[test]
    fn wrong_options_are_refused_each_with_its_reason() {
        let one = "takes one probability";
        let two = "takes the lowest and the highest power of two";
        let range = "has bounds that no normal number of the type has";
        let none = "is no option of this generator";
        for (elem, key, values, why) in [
            (CType::F64, "nan", &[-0.1][..], one),
            (CType::F64, "zero", &[1.5], one),
            (CType::F64, "zero", &[0.1, 0.2], one),
            (CType::F64, "exponents", &[0.0], two),
            (CType::F64, "exponents", &[2.0, 1.0], two),
            (CType::F64, "exponents", &[0.0, 1024.0], range),
            (CType::F64, "exponents", &[-1023.0, 0.0], range),
            (CType::F32, "exponents", &[0.0, 128.0], range),
            (CType::F32, "exponents", &[-127.0, 0.0], range),
            (CType::F64, "share", &[0.5], none),
            (CType::F64, "share", &[0.0, 1.0], none),
        ] {
            let refused = made(elem, &[(key, values)]);
            assert_eq!(refused, Err(GenError::option("floats", key, why)), "{key} {values:?}");
        }
        assert!(made(CType::F64, &[("nan", &[0.75]), ("zero", &[0.5])]).is_err());
    }

    #[test]
    fn bounds_reach_to_the_least_and_the_greatest_normal_numbers() {
        let all = |bytes: Vec<u8>, is: fn(f64) -> bool| {
            bytes.as_chunks::<8>().0.iter().all(|v| is(f64::from_le_bytes(*v).abs()))
        };
        let of = |lo, hi| made(CType::F64, &[("exponents", &[lo, hi])]).unwrap();
        assert!(all(of(1023.0, 1023.0), |v| v >= 2f64.powi(1023) && v.is_finite()));
        assert!(all(of(-1022.0, -1022.0), |v| v.is_normal() && v < 2.0 * f64::MIN_POSITIVE));
        assert!(made(CType::F32, &[("exponents", &[-126.0, 127.0])]).is_ok());
        // Chances may leave nothing else.
        let special = made(CType::F64, &[("infinity", &[0.5]), ("zero", &[0.5])]).unwrap();
        assert!(all(special, |v| v == 0.0 || v.is_infinite()));
    }
}
