//! Elements that are chosen by a mask.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod byte_compress;
mod slice;

use std::mem::MaybeUninit;

use vortex_buffer::BufferAllocatorRef;
use vortex_mask::Mask;

use slice::MaskBits;

/// Writes the elements of `values` at the set bits of `mask` to the beginning of `out`, and says
/// how many those are.
///
/// Panics unless `mask` is as long as `values`, and `out` at least as long as the result.
pub fn filter<T: Copy>(values: &[T], mask: &Mask, out: &mut [MaybeUninit<T>]) -> usize {
    assert_eq!(values.len(), mask.len());
    let count = mask.true_count();
    let Some(bits) = mask.values() else {
        // All or none.
        out[..count].write_copy_of_slice(&values[..count]);
        return count;
    };
    #[cfg(target_arch = "x86_64")]
    if out.len() >= values.len() && avx2::filter(values, bits.bit_buffer(), out) {
        return count;
    }
    let out = &mut out[..count];
    if bits.density() >= byte_compress_density::<T>() {
        let allocator = BufferAllocatorRef::statically_allocated();
        let filtered = byte_compress::filter_buffer(values, bits, &allocator);
        out.write_copy_of_slice(&filtered);
        return count;
    }
    // SAFETY: the mask has a bit for each element, and `out` room for each bit that is set.
    unsafe { slice::compact_by_bitmap(values, MaskBits::Mask(bits), out) }
}

/// From which share of set bits on it pays to go by bytes of the mask. By width of an element, as
/// upstream has measured it.
fn byte_compress_density<T>() -> f64 {
    match size_of::<T>() {
        1 => 0.0,
        2 | 4 => 0.5,
        8 => 0.75,
        _ => 0.875,
    }
}
