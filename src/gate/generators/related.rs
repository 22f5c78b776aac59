//! Content that follows other content: near-duplicates of one base, planes that bound each other.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{GenError, Made};
use crate::task::prototype::CType;

/// Elements at each end that twins share, and of how many every one is shared in between.
const ENDS: usize = 64;
const STRIDE: usize = 16;

/// How twins may differ.
pub const TWINS: [&str; 3] = ["one differs", "few differ", "many differ"];

/// Random numbers that are the same for every twin of an extent.
pub fn base_rng(elem: CType, n: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64((n << 8) + elem.size())
}

/// `base` with some elements of `other`, never one that a sampling cache may look at: the ends, and
/// every sixteenth element. Where there is no element in between, all are the base's.
pub fn twin(base: Vec<u8>, other: &[u8], elem: CType, rng: &mut ChaCha8Rng) -> Made {
    let size = elem.size().max(1) as usize;
    let n = base.len() / size;
    let ends = ENDS.min(n / 3);
    let free: Vec<usize> = (ends..n - ends).filter(|i| i % STRIDE != 0).collect();
    let mut bytes = base;
    if free.is_empty() {
        return Made { bytes, classes: Vec::new() };
    }
    let kind = rng.random_range(0..3usize);
    let count = match kind {
        0 => 1,
        1 => rng.random_range(1..=8),
        _ => free.len(),
    };
    for _ in 0..count {
        let at = size * free[rng.random_range(0..free.len())];
        bytes[at..at + size].copy_from_slice(&other[at..at + size]);
    }
    Made { bytes, classes: vec![TWINS[kind]] }
}

/// Elements none of which is below (or above) the one of `other` at the same place: by a distance
/// within `by`, or anything that the type holds.
pub fn beside(
    other: &[u8],
    above: bool,
    by: Option<(f64, f64)>,
    elem: CType,
    n: u64,
    rng: &mut ChaCha8Rng,
) -> Result<Made, GenError> {
    let size = elem.size().max(1) as usize;
    if other.len() != n as usize * size {
        return Err(GenError::Unlike);
    }
    let mut bytes = Vec::with_capacity(other.len());
    for element in other.chunks_exact(size) {
        let mut wide = [0; 8];
        wide[..size].copy_from_slice(element);
        match (elem.range(), elem) {
            (Some(held), _) => {
                let bits = i64::from_le_bytes(wide);
                let signed = matches!(elem, CType::Int(_));
                let shift = 64 - 8 * size as u32;
                let value = if signed { bits << shift >> shift } else { bits };
                // Those of 64 bits above the largest signed number bound themselves.
                let value = if held.contains(&value) { value } else { *held.end() };
                let (near, far) = match by {
                    None if above => (value, *held.end()),
                    None => (value, *held.start()),
                    Some((lo, hi)) => {
                        let sign = if above { 1.0 } else { -1.0 };
                        let at = |d: f64| {
                            value
                                .saturating_add((sign * d) as i64)
                                .clamp(*held.start(), *held.end())
                        };
                        (at(lo), at(hi))
                    }
                };
                let drawn = rng.random_range(near.min(far)..=near.max(far));
                bytes.extend_from_slice(&drawn.to_le_bytes()[..size]);
            }
            (None, CType::F32) => {
                let value =
                    f32::from_bits(u32::from_le_bytes([wide[0], wide[1], wide[2], wide[3]]));
                let drawn = float(f64::from(value), above, by, f64::from(f32::MAX), rng) as f32;
                // Rounding must not cross over.
                let fine = value.is_nan() || if above { drawn >= value } else { drawn <= value };
                bytes.extend_from_slice(&(if fine { drawn } else { value }).to_le_bytes());
            }
            (None, _) => {
                let value = f64::from_le_bytes(wide);
                bytes.extend_from_slice(&float(value, above, by, f64::MAX, rng).to_le_bytes());
            }
        }
    }
    Ok(Made::plain(bytes))
}

fn float(value: f64, above: bool, by: Option<(f64, f64)>, most: f64, rng: &mut ChaCha8Rng) -> f64 {
    let t = f64::from(rng.next_u32()) / 2f64.powi(32);
    let distance = match by {
        Some((lo, hi)) => lo + (hi - lo) * t,
        // Of the value's own magnitude.
        None => t * value.abs().max(1.0),
    };
    let drawn = if above { value + distance } else { value - distance };
    if value.is_finite() { drawn.clamp(-most, most) } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_keep_a_distance_within_its_bounds() {
        let other = 100f64.to_le_bytes().repeat(500);
        for (above, sign) in [(true, 1.0), (false, -1.0)] {
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let by = Some((2.0, 5.0));
            let made = beside(&other, above, by, CType::F64, 500, &mut rng).unwrap();
            let distance = |v: &[u8; 8]| sign * (f64::from_le_bytes(*v) - 100.0);
            let all: Vec<f64> = made.bytes.as_chunks::<8>().0.iter().map(distance).collect();
            assert!(all.iter().all(|d| (2.0..=5.0).contains(d)), "{all:?}");
            assert!(all.iter().any(|d| *d < 2.2) && all.iter().any(|d| *d > 4.8), "{all:?}");
        }
    }
}
