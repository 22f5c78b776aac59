//! Uniform bytes, integers and floats.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{GenError, Made, floats};
use crate::task::prototype::CType;

/// `n` elements of random bits (`bool`: 0 or 1, since C knows no other).
pub fn bytes(elem: CType, n: u64, rng: &mut ChaCha8Rng) -> Result<Vec<u8>, GenError> {
    if elem == CType::Void {
        return Err(GenError::element("bytes", elem));
    }
    let mut out = vec![0; (n * elem.size()) as usize];
    rng.fill(&mut out[..]);
    if elem == CType::Bool {
        out.iter_mut().for_each(|b| *b &= 1);
    }
    Ok(out)
}

/// `n` integers in `lo..=hi`, bounds that the type holds.
pub fn int(
    lo: i64,
    hi: i64,
    elem: CType,
    n: u64,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<u8>, GenError> {
    let held = elem.range().ok_or_else(|| GenError::element("int", elem))?;
    if lo > hi || !held.contains(&lo) || !held.contains(&hi) {
        return Err(GenError::option(
            "int",
            "int",
            "has bounds that the element's type can't hold",
        ));
    }
    let size = elem.size() as usize;
    let mut out = Vec::with_capacity(n as usize * size);
    for _ in 0..n {
        // Two's complement: the low bytes of the wide value are the narrow one.
        out.extend_from_slice(&rng.random_range(lo..=hi).to_le_bytes()[..size]);
    }
    Ok(out)
}

/// `n` floats in `lo..=hi`; each is a special value with probability `special`.
pub fn float(
    lo: f64,
    hi: f64,
    special: f64,
    elem: CType,
    n: u64,
    rng: &mut ChaCha8Rng,
) -> Result<Made, GenError> {
    if !elem.is_float() {
        return Err(GenError::element("float", elem));
    }
    if !(lo.is_finite() && hi.is_finite() && lo <= hi) {
        return Err(GenError::option("float", "float", "needs two finite bounds in order"));
    }
    if !(0.0..=1.0).contains(&special) {
        return Err(GenError::option("float", "special", "is a probability"));
    }
    let size = elem.size() as usize;
    let mut out = Vec::with_capacity(n as usize * size);
    let mut seen = [false; floats::SPECIAL.len()];
    for _ in 0..n {
        let bits = if special > 0.0 && rng.random_bool(special) {
            let kind = rng.random_range(0..seen.len());
            seen[kind] = true;
            floats::special(elem, kind, rng)
        } else if elem == CType::F64 {
            uniform(lo, hi, rng).to_bits()
        } else {
            narrow(uniform(lo, hi, rng), lo, hi).to_bits().into()
        };
        out.extend_from_slice(&bits.to_le_bytes()[..size]);
    }
    let classes = floats::SPECIAL.iter().zip(seen).filter(|(_, seen)| *seen).map(|(name, _)| *name);
    Ok(Made { bytes: out, classes: classes.collect() })
}

fn uniform(lo: f64, hi: f64, rng: &mut ChaCha8Rng) -> f64 {
    between(lo, hi, rng.random())
}

/// Mixes the bounds, which can't overflow as their difference can: from `lo` at 0 to `hi` at 1.
pub fn between(lo: f64, hi: f64, t: f64) -> f64 {
    (lo * (1.0 - t) + hi * t).clamp(lo, hi)
}

/// Rounds to `float` without leaving the bounds, where there is a `float` between them.
fn narrow(v: f64, lo: f64, hi: f64) -> f32 {
    let rounded = v as f32;
    if f64::from(rounded) > hi {
        rounded.next_down()
    } else if f64::from(rounded) < lo {
        rounded.next_up()
    } else {
        rounded
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    fn rng() -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(1)
    }

    #[test]
    fn bounds_of_integers_are_in_order_and_both_held() {
        let made = |lo, hi| int(lo, hi, CType::Uint(1), 3, &mut rng());
        for (lo, hi) in [(-1, 5), (0, 256), (5, 1)] {
            assert!(matches!(made(lo, hi), Err(GenError::Option { .. })), "{lo} to {hi}");
        }
        assert_eq!(made(255, 255), Ok(vec![255; 3]));
    }

    #[test]
    fn bounds_of_floats_are_finite_and_in_order() {
        let made = |lo, hi, special| float(lo, hi, special, CType::F64, 3, &mut rng());
        let wide = f64::INFINITY;
        for (lo, hi, special) in [
            (2.0, 1.0, 0.0),
            (0.0, wide, 0.0),
            (-wide, 0.0, 0.0),
            (f64::NAN, 0.0, 0.0),
            (0.0, 1.0, 1.5),
            (0.0, 1.0, -0.5),
        ] {
            let refused = made(lo, hi, special);
            assert!(matches!(refused, Err(GenError::Option { .. })), "{lo} to {hi}, {special}");
        }
        assert!(made(1.0, 1.0, 1.0).is_ok());
    }

    /// One number alone is left: rounding must neither leave it nor be mended where it is right.
    #[test]
    fn a_range_of_one_number_is_that_number() {
        let made = float(1.0, 1.0, 0.0, CType::F32, 5, &mut rng()).unwrap();
        assert_eq!(made.bytes, 1f32.to_le_bytes().repeat(5));
        // The `float` that is nearest to 0.1 lies above it, where a bound may not allow it.
        let (below, above) = (0.1f32.next_down(), 0.1f32);
        assert_eq!(narrow(0.1, 0.0, 0.1), below);
        assert_eq!(narrow(0.1, 0.0, 1.0), above);
        assert_eq!(narrow(-0.1, -0.1, 0.0), -below);
    }
}
