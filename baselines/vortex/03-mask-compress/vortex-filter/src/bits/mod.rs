//! Bits that are chosen by a mask.

mod filter;

use vortex_buffer::BitBuffer;
use vortex_mask::Mask;

/// The bits of `source` at the set bits of `mask`, side by side.
///
/// Panics unless both are of one length.
pub fn filter_bits(source: &BitBuffer, mask: &Mask) -> BitBuffer {
    assert_eq!(source.len(), mask.len());
    match mask.values() {
        Some(values) => {
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("popcnt") {
                // SAFETY: the processor was asked.
                return unsafe {
                    x86::filter_bmi2(source, values.bit_buffer(), values.true_count())
                };
            }
            filter::filter_bitbuffer_by_mask(source, values.bit_buffer(), values.true_count())
        }
        None if mask.all_true() => source.clone(),
        None => BitBuffer::empty(),
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::_pext_u64;

    use vortex_buffer::{BitBuffer, BufferMut};

    #[target_feature(enable = "bmi2,popcnt")]
    pub fn filter_bmi2(source: &BitBuffer, mask: &BitBuffer, count: usize) -> BitBuffer {
        let full = count / 64;
        let mut words = BufferMut::<u64>::zeroed(full + 1);
        let out = words.as_mut_slice();
        // The word that is being filled, and how many bits it has.
        let (mut word, mut filled, mut written) = (0_u64, 0, 0);
        for (bits, chosen) in source.chunks().iter_padded().zip(mask.chunks().iter_padded()) {
            let bits = _pext_u64(bits, chosen);
            word |= bits << filled;
            let reached = filled + chosen.count_ones();
            // Written in any case: without a branch on the number of bits.
            out[written] = word;
            let over = reached >= 64;
            let carried = bits.checked_shr(64 - filled).unwrap_or(0);
            word = if over { carried } else { word };
            written += usize::from(over);
            filled = reached % 64;
        }
        if let Some(last) = out.get_mut(written) {
            *last = word;
        }
        BitBuffer::new(words.freeze().into_byte_buffer(), count)
    }
}
