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
            filter::filter_bitbuffer_by_mask(source, values.bit_buffer(), values.true_count())
        }
        None if mask.all_true() => source.clone(),
        None => BitBuffer::empty(),
    }
}
