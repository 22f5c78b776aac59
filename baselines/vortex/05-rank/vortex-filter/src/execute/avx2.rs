//! Filters for AVX2: a few elements at a time move to the front of a vector, by a table of what
//! each combination of mask bits needs, and the vector is stored whole. The next one goes over what
//! it has left behind.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use vortex_buffer::BitBuffer;

/// Filters elements of 1, 2, 4 or 8 bytes; says whether it did. `out` must be as long as `values`:
/// vectors are stored up to as far as they were read.
pub fn filter<T: Copy>(values: &[T], mask: &BitBuffer, out: &mut [MaybeUninit<T>]) -> bool {
    assert!(out.len() >= values.len() && mask.len() == values.len());
    let has = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt");
    if !has {
        return false;
    }
    let (from, to) = (values.as_ptr().cast::<u8>(), out.as_mut_ptr().cast::<u8>());
    // SAFETY: the processor was asked; both buffers have an element for each bit of the mask, and
    // nothing is done with an element but to copy its bytes.
    unsafe {
        match size_of::<T>() {
            1 => filter_1(from, mask, to),
            2 => filter_2(from, mask, to),
            4 => filter_4(from, mask, to),
            8 => filter_8(from, mask, to),
            _ => return false,
        }
    }
    true
}

/// For each byte of a mask the numbers of its set bits in order, each with `width` bytes of
/// sub-numbers.
const fn table<const ROWS: usize, const BYTES: usize>(width: usize) -> [[u8; BYTES]; ROWS] {
    let mut table = [[0; BYTES]; ROWS];
    let mut row = 0;
    while row < ROWS {
        let (mut bit, mut at) = (0, 0);
        while bit < 8 {
            if row >> bit & 1 != 0 && at < BYTES {
                let mut byte = 0;
                while byte < width {
                    table[row][at] = (bit * width + byte) as u8;
                    at += 1;
                    byte += 1;
                }
            }
            bit += 1;
        }
        row += 1;
    }
    table
}

/// Bytes of eight elements of two.
static PAIRS: [[u8; 16]; 256] = table(2);
/// Numbers of eight elements.
static EIGHT: [[u8; 8]; 256] = table(1);
/// Numbers of the halves of four elements.
static FOUR: [[u8; 8]; 16] = table(2);

/// Walks over the mask. `some` filters `8` elements: it is given where they are, where they go, and
/// their bits, and stores at most that many; all else is copied.
///
/// # Safety
/// Both pointers must be good for `SIZE` bytes for each bit of the mask.
#[inline(always)]
unsafe fn walk<const SIZE: usize>(
    mut from: *const u8,
    mask: &BitBuffer,
    mut to: *mut u8,
    some: impl Fn(*const u8, *mut u8, u8),
) {
    let mut left = mask.len();
    for word in mask.chunks().iter_padded() {
        let here = left.min(64);
        // SAFETY: what is read lies below the end, since `here` elements are left; what is written
        // begins at or before what is read, and is no longer.
        unsafe {
            if word == u64::MAX {
                to.copy_from_nonoverlapping(from, 64 * SIZE);
                to = to.add(64 * SIZE);
            } else if word != 0 {
                for group in 0..here / 8 {
                    let bits = (word >> (8 * group)) as u8;
                    some(from.add(8 * group * SIZE), to, bits);
                    to = to.add(bits.count_ones() as usize * SIZE);
                }
                for index in here / 8 * 8..here {
                    if word >> index & 1 != 0 {
                        to.copy_from_nonoverlapping(from.add(index * SIZE), SIZE);
                        to = to.add(SIZE);
                    }
                }
            }
            from = from.add(here * SIZE);
        }
        left -= here;
    }
}

#[target_feature(enable = "avx2,bmi2,popcnt")]
unsafe fn filter_1(from: *const u8, mask: &BitBuffer, to: *mut u8) {
    let some = |from: *const u8, to: *mut u8, bits: u8| {
        // Each bit becomes a byte.
        let bytes = _pdep_u64(u64::from(bits), 0x0101_0101_0101_0101) * 255;
        // SAFETY: eight elements are there on both sides.
        unsafe {
            let kept = _pext_u64(from.cast::<u64>().read_unaligned(), bytes);
            to.cast::<u64>().write_unaligned(kept);
        }
    };
    // SAFETY: the caller's promise.
    unsafe { walk::<1>(from, mask, to, some) }
}

#[target_feature(enable = "avx2,bmi2,popcnt")]
unsafe fn filter_2(from: *const u8, mask: &BitBuffer, to: *mut u8) {
    let some = |from: *const u8, to: *mut u8, bits: u8| {
        // SAFETY: eight elements are there on both sides.
        unsafe {
            let order = _mm_loadu_si128(PAIRS[usize::from(bits)].as_ptr().cast());
            let kept = _mm_shuffle_epi8(_mm_loadu_si128(from.cast()), order);
            _mm_storeu_si128(to.cast(), kept);
        }
    };
    // SAFETY: the caller's promise.
    unsafe { walk::<2>(from, mask, to, some) }
}

#[target_feature(enable = "avx2,bmi2,popcnt")]
unsafe fn filter_4(from: *const u8, mask: &BitBuffer, to: *mut u8) {
    let some = |from: *const u8, to: *mut u8, bits: u8| {
        // SAFETY: eight elements are there on both sides.
        unsafe {
            let order = _mm_loadl_epi64(EIGHT[usize::from(bits)].as_ptr().cast());
            let order = _mm256_cvtepu8_epi32(order);
            let kept = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(from.cast()), order);
            _mm256_storeu_si256(to.cast(), kept);
        }
    };
    // SAFETY: the caller's promise.
    unsafe { walk::<4>(from, mask, to, some) }
}

#[target_feature(enable = "avx2,bmi2,popcnt")]
unsafe fn filter_8(from: *const u8, mask: &BitBuffer, to: *mut u8) {
    let some = |from: *const u8, to: *mut u8, bits: u8| {
        let four = |from: *const u8, to: *mut u8, bits: usize| {
            // SAFETY: four elements are there on both sides.
            unsafe {
                let order = _mm256_cvtepu8_epi32(_mm_loadl_epi64(FOUR[bits].as_ptr().cast()));
                let kept = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(from.cast()), order);
                _mm256_storeu_si256(to.cast(), kept);
            }
        };
        let (low, high) = (usize::from(bits & 15), usize::from(bits >> 4));
        four(from, to, low);
        // SAFETY: the second half of eight elements, and at most that far.
        let (from, to) = unsafe { (from.add(32), to.add(8 * low.count_ones() as usize)) };
        four(from, to, high);
    };
    // SAFETY: the caller's promise.
    unsafe { walk::<8>(from, mask, to, some) }
}
