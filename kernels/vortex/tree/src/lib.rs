//! The contract (`include/vx.h`) over functions of the library. Bits are bits of bytes, the least
//! significant first; `offset` says how many to skip.

use std::mem::MaybeUninit;
use std::slice;

use bytes::Bytes;
use vortex_buffer::{
    BitBuffer, BitBufferView, ByteBuffer, collect_bool_words_multiversioned,
};
use vortex_mask::Mask;

/// The bytes that hold `n` bits from `offset` on.
///
/// # Safety
/// They must be there for as long as the result is used.
unsafe fn bytes<'a>(bits: *const u8, offset: usize, n: usize) -> &'a [u8] {
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(bits, (offset + n).div_ceil(8)) }
}

/// The same as a buffer that owns nothing.
///
/// # Safety
/// As of [`bytes`]; nothing in this file keeps one.
unsafe fn buffer(bits: *const u8, offset: usize, n: usize) -> BitBuffer {
    // SAFETY: the caller's promise.
    let bytes = unsafe { bytes(bits, offset, n) };
    BitBuffer::new_with_offset(ByteBuffer::from(Bytes::from_static(bytes)), n, offset)
}

/// Writes bits to `out`, and zeros after them to the end of the last byte.
///
/// # Safety
/// There must be room for them.
unsafe fn put(bits: &BitBuffer, out: *mut u8) {
    let (n, size) = (bits.len(), bits.len().div_ceil(8));
    // SAFETY: the caller's promise.
    let out = unsafe { slice::from_raw_parts_mut(out, size) };
    if bits.offset() == 0 {
        out.copy_from_slice(&bits.inner().as_slice()[..size]);
    } else {
        let words = bits.chunks();
        for (to, word) in out.chunks_mut(8).zip(words.iter_padded()) {
            to.copy_from_slice(&word.to_le_bytes()[..to.len()]);
        }
    }
    if n % 8 != 0 {
        out[size - 1] &= (1 << (n % 8)) - 1;
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn vx_count_ones(bits: *const u8, offset: usize, n: usize) -> usize {
    // SAFETY: the contract: `bits` holds `offset + n` bits.
    BitBufferView::new_with_offset(unsafe { bytes(bits, offset, n) }, n, offset).true_count()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn vx_valid_counts(
    bits: *const u8,
    offset: usize,
    n: usize,
    ends: *const u64,
    m: usize,
    counts: *mut u64,
) {
    // SAFETY: the contract: `bits` holds `offset + n` bits, `ends` and `counts` m elements each;
    // usize has 64 bits here.
    let (mask, ends, counts) = unsafe {
        let mask = Mask::from_buffer(buffer(bits, offset, n));
        (mask, slice::from_raw_parts(ends.cast(), m), slice::from_raw_parts_mut(counts.cast(), m))
    };
    counts.copy_from_slice(&mask.valid_counts_for_indices(ends));
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn vx_pack_bools(values: *const u8, n: usize, out: *mut u8) {
    // SAFETY: the contract: `values` holds n elements, `out` one bit for each.
    unsafe {
        let values = slice::from_raw_parts(values, n);
        put(&vortex_buffer::BitBufferMut::from(values).freeze(), out);
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn vx_pack_less(values: *const u32, n: usize, limit: u32, out: *mut u64) {
    // SAFETY: the contract: `values` holds n elements, `out` one bit for each in whole words.
    let (values, words) = unsafe {
        (slice::from_raw_parts(values, n), slice::from_raw_parts_mut(out, n.div_ceil(64)))
    };
    // SAFETY: only indices below n are asked for.
    collect_bool_words_multiversioned(words, n, |i| unsafe { *values.get_unchecked(i) } < limit);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn vx_pack_equal(values: *const u8, n: usize, other: u32, out: *mut u64) {
    let other = other as u8;
    // SAFETY: the contract: `values` holds n elements, `out` one bit for each in whole words.
    let (values, words) = unsafe {
        (slice::from_raw_parts(values, n), slice::from_raw_parts_mut(out, n.div_ceil(64)))
    };
    // SAFETY: only indices below n are asked for.
    collect_bool_words_multiversioned(words, n, |i| unsafe { *values.get_unchecked(i) } == other);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn vx_intersect_by_rank(
    bits: *const u8,
    offset: usize,
    n: usize,
    kept: *const u8,
    kept_offset: usize,
    out: *mut u8,
) -> usize {
    // SAFETY: the contract: `bits` holds `offset + n` bits, `kept` at least `kept_offset` and as
    // many as are set in `bits`, `out` n bits.
    unsafe {
        let bits = Mask::from_buffer(buffer(bits, offset, n));
        let kept = Mask::from_buffer(buffer(kept, kept_offset, bits.true_count()));
        let both = bits.intersect_by_rank(&kept);
        let count = both.true_count();
        put(&both.into_bit_buffer(), out);
        count
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn vx_filter_bits(
    bits: *const u8,
    offset: usize,
    n: usize,
    mask: *const u8,
    mask_offset: usize,
    out: *mut u8,
) -> usize {
    // SAFETY: the contract: `bits` holds `offset + n` bits, `mask` `mask_offset + n`, `out` n.
    unsafe {
        let mask = Mask::from_buffer(buffer(mask, mask_offset, n));
        let filtered = vortex_filter::filter_bits(&buffer(bits, offset, n), &mask);
        put(&filtered, out);
        filtered.len()
    }
}

/// # Safety
/// `values` and `out` must hold n elements each, `mask` `offset + n` bits.
unsafe fn filter<T: Copy>(
    values: *const T,
    n: usize,
    mask: *const u8,
    offset: usize,
    out: *mut T,
) -> usize {
    // SAFETY: the caller's promise.
    let (values, mask, out) = unsafe {
        let mask = Mask::from_buffer(buffer(mask, offset, n));
        let out = slice::from_raw_parts_mut(out.cast::<MaybeUninit<T>>(), n);
        (slice::from_raw_parts(values, n), mask, out)
    };
    vortex_filter::filter(values, &mask, out)
}

macro_rules! filters {
    ($($name:ident: $element:ty;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            values: *const $element,
            n: usize,
            mask: *const u8,
            offset: usize,
            out: *mut $element,
        ) -> usize {
            // SAFETY: the contract says the same.
            unsafe { filter(values, n, mask, offset, out) }
        }
    )*};
}

filters! {
    vx_filter_u8: u8;
    vx_filter_u16: u16;
    vx_filter_u32: u32;
    vx_filter_u64: u64;
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn vx_select(
    bits: *const u8,
    offset: usize,
    n: usize,
    nth: usize,
) -> usize {
    // SAFETY: the contract: `bits` holds `offset + n` bits.
    unsafe { buffer(bits, offset, n) }.select(nth).unwrap_or(n)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn vx_select_unset(
    bits: *const u8,
    offset: usize,
    n: usize,
    nth: usize,
) -> usize {
    // SAFETY: the contract: `bits` holds `offset + n` bits.
    unsafe { buffer(bits, offset, n) }.select_unset(nth).unwrap_or(n)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn vx_translate_ranks(
    bits: *const u8,
    offset: usize,
    n: usize,
    ranks: *const u32,
    m: usize,
    out: *mut u64,
) -> usize {
    // SAFETY: the contract: `bits` holds `offset + n` bits, `ranks` and `out` m elements each.
    let (mask, ranks, out) = unsafe {
        let mask = Mask::from_buffer(buffer(bits, offset, n));
        (mask, slice::from_raw_parts(ranks, m), slice::from_raw_parts_mut(out, m))
    };
    vortex_filter::translate_ranks(&mask, ranks, out)
}
