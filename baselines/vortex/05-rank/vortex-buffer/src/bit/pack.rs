//! From one truth value an element to one a bit, the first in the least significant bit.

/// Asks `f` for the values `0..len`, each once and in order, and writes them to `words`, 64 to one.
/// What is left of the last word is 0.
#[inline(always)]
pub(crate) fn collect_bool_words_inline<F>(words: &mut [u64], len: usize, f: F)
where
    F: FnMut(usize) -> bool,
{
    collect(words, len, f, pack);
}

/// The same, for functions that are cheap enough to be compiled once for every instruction set that
/// there is a kernel for.
///
/// Panics if `words` is too short.
#[inline]
pub fn collect_bool_words_multiversioned<F>(words: &mut [u64], len: usize, f: F)
where
    F: FnMut(usize) -> bool,
{
    #[cfg(target_arch = "x86_64")]
    if len >= 64 && is_x86_feature_detected!("avx2") {
        // SAFETY: the processor was asked.
        return unsafe { x86::collect_avx2(words, len, f) };
    }
    collect(words, len, f, pack);
}

#[inline(always)]
fn collect<F>(words: &mut [u64], len: usize, mut f: F, pack: impl Fn(&[bool; 64]) -> u64)
where
    F: FnMut(usize) -> bool,
{
    let words = &mut words[..len.div_ceil(64)];
    let (full, rest) = words.split_at_mut(len / 64);
    for (number, word) in full.iter_mut().enumerate() {
        let begin = 64 * number;
        let mut truths = [false; 64];
        for (index, truth) in truths.iter_mut().enumerate() {
            *truth = f(begin + index);
        }
        *word = pack(&truths);
    }
    for word in rest {
        let begin = len / 64 * 64;
        *word = (begin..len).fold(0, |word, index| word | u64::from(f(index)) << (index - begin));
    }
}

/// One bit for each of 64 truth values.
#[inline(always)]
fn pack(truths: &[bool; 64]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    return x86::pack_sse2(truths);
    #[cfg(not(target_arch = "x86_64"))]
    {
        let (eights, _) = truths.as_chunks::<8>();
        let mut word = 0;
        for (index, eight) in eights.iter().enumerate() {
            // A value of 1 in byte k is multiplied to bit 56 + k; no two products meet.
            let bytes = u64::from_le_bytes(eight.map(u8::from));
            word |= (bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * index);
        }
        word
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    /// The whole loop, `f` in it, for this instruction set.
    #[target_feature(enable = "avx2")]
    pub fn collect_avx2<F>(words: &mut [u64], len: usize, f: F)
    where
        F: FnMut(usize) -> bool,
    {
        super::collect(words, len, f, |truths| {
            // SAFETY: this function's caller has asked the processor.
            unsafe { pack_avx2(truths) }
        });
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn pack_avx2(truths: &[bool; 64]) -> u64 {
        let half = |index: usize| {
            // SAFETY: both halves are inside the array.
            let bytes = unsafe { _mm256_loadu_si256(truths.as_ptr().cast::<__m256i>().add(index)) };
            // The bit of a truth value becomes the highest of its byte.
            _mm256_movemask_epi8(_mm256_slli_epi16(bytes, 7)) as u32
        };
        u64::from(half(0)) | u64::from(half(1)) << 32
    }

    #[inline(always)]
    pub fn pack_sse2(truths: &[bool; 64]) -> u64 {
        let mut word = 0;
        for index in 0..4 {
            // SAFETY: all four quarters are inside the array, and these processors have SSE2.
            let bits = unsafe {
                let bytes = _mm_loadu_si128(truths.as_ptr().cast::<__m128i>().add(index));
                _mm_movemask_epi8(_mm_slli_epi16(bytes, 7))
            };
            word |= u64::from(bits as u32) << (16 * index);
        }
        word
    }
}
