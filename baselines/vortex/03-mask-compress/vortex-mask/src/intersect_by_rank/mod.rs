//! A mask over the set bits of another.

use std::sync::Arc;

use vortex_buffer::{BitBuffer, BufferMut};

use crate::{Mask, MaskValues};

impl Mask {
    /// The bits of `self` whose rank among them is set in `mask`: of the first set bit of `self`
    /// the first bit of `mask` decides whether it stays, and so on.
    ///
    /// Panics unless `mask` is as long as `self` has set bits.
    pub fn intersect_by_rank(&self, mask: &Mask) -> Mask {
        assert_eq!(self.true_count(), mask.len());
        match (self, mask) {
            (Mask::AllTrue(_), _) => mask.clone(),
            (_, Mask::AllTrue(_)) => self.clone(),
            (Mask::AllFalse(_), _) | (_, Mask::AllFalse(_)) => Mask::new_false(self.len()),
            (Mask::Values(bits), Mask::Values(mask)) => {
                let buffer = spread(mask.bit_buffer(), bits.bit_buffer());
                // Each set bit of `mask` keeps one: neither none nor all are left.
                let true_count = mask.true_count();
                let density = true_count as f64 / buffer.len() as f64;
                Mask::Values(Arc::new(MaskValues {
                    buffer,
                    indices: Default::default(),
                    slices: Default::default(),
                    true_count,
                    density,
                }))
            }
        }
    }
}

/// The bits of `source`, in order, at the set bits of `places`.
fn spread(source: &BitBuffer, places: &BitBuffer) -> BitBuffer {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor was asked.
        return unsafe { x86::spread_bmi2(source, places) };
    }
    spread_by(source, places, deposit)
}

#[inline(always)]
fn spread_by(
    source: &BitBuffer,
    places: &BitBuffer,
    deposit: impl Fn(u64, u64) -> u64,
) -> BitBuffer {
    let len = places.len();
    let count = len.div_ceil(64);
    let mut words = BufferMut::<u64>::zeroed(count);
    let bytes = source.inner().as_slice();
    let mut at = source.offset();
    for (word, place) in words.as_mut_slice().iter_mut().zip(places.chunks().iter_padded()) {
        *word = deposit(read(bytes, at), place);
        at += place.count_ones() as usize;
    }
    BitBuffer::new(words.freeze().into_byte_buffer(), len)
}

/// The 64 bits that begin with bit `at`; 0 for those after the end.
#[inline(always)]
fn read(bytes: &[u8], at: usize) -> u64 {
    let bytes = bytes.get(at / 8..).unwrap_or_default();
    let window = match bytes.first_chunk() {
        Some(window) => u128::from_le_bytes(*window),
        None => last(bytes),
    };
    (window >> (at % 8)) as u64
}

#[cold]
fn last(bytes: &[u8]) -> u128 {
    let mut window = [0; 16];
    window[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(window)
}

/// The lowest bits of `source`, in order, at the set bits of `places`.
fn deposit(mut source: u64, mut places: u64) -> u64 {
    let mut word = 0;
    while places != 0 {
        let lowest = places & places.wrapping_neg();
        if source & 1 != 0 {
            word |= lowest;
        }
        source >>= 1;
        places ^= lowest;
    }
    word
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::_pdep_u64;

    use vortex_buffer::BitBuffer;

    #[target_feature(enable = "bmi2,popcnt")]
    pub fn spread_bmi2(source: &BitBuffer, places: &BitBuffer) -> BitBuffer {
        super::spread_by(source, places, |source, places| {
            // SAFETY: this function's caller has asked the processor.
            unsafe { _pdep_u64(source, places) }
        })
    }
}
