//! A mask over the set bits of another.

use vortex_buffer::{BitBuffer, BufferMut};

use crate::Mask;

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
                Mask::from_buffer(spread(mask.bit_buffer(), bits.bit_buffer()))
            }
        }
    }
}

/// The bits of `source`, in order, at the set bits of `places`.
fn spread(source: &BitBuffer, places: &BitBuffer) -> BitBuffer {
    let len = places.len();
    let mut words = BufferMut::<u64>::with_capacity(len.div_ceil(64));
    let mut used = 0;
    for place in places.chunks().iter_padded().take(len.div_ceil(64)) {
        words.push(deposit(read(source, used), place));
        used += place.count_ones() as usize;
    }
    BitBuffer::new(words.freeze().into_byte_buffer(), len)
}

/// The 64 bits of a buffer that begin with bit `at`; 0 for those after its end.
fn read(bits: &BitBuffer, at: usize) -> u64 {
    let at = bits.offset() + at;
    let mut window = [0; 16];
    if let Some(bytes) = bits.inner().as_slice().get(at / 8..) {
        let count = bytes.len().min(window.len());
        window[..count].copy_from_slice(&bytes[..count]);
    }
    (u128::from_le_bytes(window) >> (at % 8)) as u64
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
