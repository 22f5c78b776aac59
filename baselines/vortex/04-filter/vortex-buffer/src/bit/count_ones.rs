//! How many bits are set.

/// Number of set bits among the `len` bits of `bytes` that begin with bit `offset`, counted from
/// the least significant bit of the first byte.
#[inline]
pub fn count_ones(bytes: &[u8], offset: usize, len: usize) -> usize {
    let (head, middle, tail) = split(bytes, offset, len);
    head.count_ones() as usize + count_bytes(middle) + tail.count_ones() as usize
}

/// The bits of a range in three parts: those before the first whole byte, moved down to bit 0, the
/// whole bytes, and those after the last of these. What is not of the range is 0.
#[inline]
pub(super) fn split(bytes: &[u8], offset: usize, len: usize) -> (u8, &[u8], u8) {
    let (first, skip) = (offset / 8, offset % 8);
    let in_head = if skip == 0 { 0 } else { (8 - skip).min(len) };
    let head = if in_head == 0 { 0 } else { bytes[first] >> skip & low_bits(in_head) };
    let begin = first + usize::from(in_head != 0);
    let end = begin + (len - in_head) / 8;
    let in_tail = (len - in_head) % 8;
    let tail = if in_tail == 0 { 0 } else { bytes[end] & low_bits(in_tail) };
    (head, &bytes[begin..end], tail)
}

/// A byte whose lowest `count` bits (at most 8) are set.
#[inline]
fn low_bits(count: usize) -> u8 {
    (0xff_u16 >> (8 - count)) as u8
}

/// Number of set bits in whole bytes.
#[inline]
pub(super) fn count_bytes(bytes: &[u8]) -> usize {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("popcnt") {
        if bytes.len() >= x86::BLOCK && is_x86_feature_detected!("avx2") {
            // SAFETY: the processor was asked.
            return unsafe { x86::many(bytes) };
        }
        // SAFETY: the processor was asked.
        return unsafe { x86::few(bytes) };
    }
    by_words(bytes)
}

#[inline(always)]
fn by_words(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    let words: usize = words.iter().map(|word| u64::from_le_bytes(*word).count_ones() as usize).sum();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    words + u64::from_le_bytes(last).count_ones() as usize
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    /// Bytes that are counted together.
    pub const BLOCK: usize = 16 * 32;

    /// With the instruction for words.
    #[target_feature(enable = "popcnt")]
    pub fn few(bytes: &[u8]) -> usize {
        super::by_words(bytes)
    }

    /// Sixteen vectors become one by a tree of full adders, bit by bit, and only that one's bits are
    /// counted, by a table of nibbles; what the adders still hold at the end is counted then.
    #[target_feature(enable = "avx2,popcnt")]
    pub fn many(bytes: &[u8]) -> usize {
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        let zero = _mm256_setzero_si256();
        let (mut ones, mut twos, mut fours, mut eights) = (zero, zero, zero, zero);
        let mut sixteens = zero;
        for block in blocks {
            let at = |index: usize| {
                // SAFETY: index is below 16, and a block holds 16 vectors.
                unsafe { _mm256_loadu_si256(block.as_ptr().cast::<__m256i>().add(index)) }
            };
            let mut carry8 = [zero; 2];
            for (half, carry8) in carry8.iter_mut().enumerate() {
                let mut carry4 = [zero; 2];
                for (quarter, carry4) in carry4.iter_mut().enumerate() {
                    let from = 8 * half + 4 * quarter;
                    let (first, second);
                    (first, ones) = add(ones, at(from), at(from + 1));
                    (second, ones) = add(ones, at(from + 2), at(from + 3));
                    (*carry4, twos) = add(twos, first, second);
                }
                (*carry8, fours) = add(fours, carry4[0], carry4[1]);
            }
            let carry;
            (carry, eights) = add(eights, carry8[0], carry8[1]);
            sixteens = _mm256_add_epi64(sixteens, count(carry));
        }
        let held = [(ones, 1), (twos, 2), (fours, 4), (eights, 8)];
        let held: usize = held.map(|(bits, weight)| weight * sum(count(bits))).iter().sum();
        16 * sum(sixteens) + held + super::by_words(rest)
    }

    /// Carry and sum of three bits, everywhere.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn add(a: __m256i, b: __m256i, c: __m256i) -> (__m256i, __m256i) {
        let half = _mm256_xor_si256(a, b);
        let carry = _mm256_or_si256(_mm256_and_si256(a, b), _mm256_and_si256(half, c));
        (carry, _mm256_xor_si256(half, c))
    }

    /// Number of set bits of each 64.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn count(bits: __m256i) -> __m256i {
        let table = _mm256_setr_epi8(
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2,
            3, 3, 4,
        );
        let nibble = _mm256_set1_epi8(15);
        let low = _mm256_shuffle_epi8(table, _mm256_and_si256(bits, nibble));
        let high = _mm256_and_si256(_mm256_srli_epi16(bits, 4), nibble);
        let high = _mm256_shuffle_epi8(table, high);
        _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256())
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn sum(counts: __m256i) -> usize {
        let halves = _mm256_castsi256_si128(counts);
        let halves = _mm_add_epi64(halves, _mm256_extracti128_si256(counts, 1));
        (_mm_cvtsi128_si64(halves) + _mm_extract_epi64(halves, 1)) as usize
    }
}
