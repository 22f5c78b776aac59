//! From one truth value an element to one a bit, the first in the least significant bit.

/// Asks `f` for the values `0..len`, each once and in order, and writes them to `words`, 64 to one.
/// What is left of the last word is 0.
#[inline(always)]
pub(crate) fn collect_bool_words_inline<F>(words: &mut [u64], len: usize, f: F)
where
    F: FnMut(usize) -> bool,
{
    collect(words, len, f);
}

/// The same, for functions that are cheap enough to be compiled once for every instruction set that
/// there is a kernel for. There is none.
///
/// Panics if `words` is too short.
#[inline]
pub fn collect_bool_words_multiversioned<F>(words: &mut [u64], len: usize, f: F)
where
    F: FnMut(usize) -> bool,
{
    collect(words, len, f);
}

#[inline(always)]
fn collect<F>(words: &mut [u64], len: usize, mut f: F)
where
    F: FnMut(usize) -> bool,
{
    let words = &mut words[..len.div_ceil(64)];
    for (number, word) in words.iter_mut().enumerate() {
        let begin = 64 * number;
        let count = (len - begin).min(64);
        let mut truths = [false; 64];
        for (index, truth) in truths[..count].iter_mut().enumerate() {
            *truth = f(begin + index);
        }
        *word = pack(&truths);
    }
}

/// One bit for each of 64 truth values.
#[inline]
fn pack(truths: &[bool; 64]) -> u64 {
    let (eights, _) = truths.as_chunks::<8>();
    let mut word = 0;
    for (index, eight) in eights.iter().enumerate() {
        // A value of 1 in byte k is multiplied to bit 56 + k; no two products meet.
        let bytes = u64::from_le_bytes(eight.map(u8::from));
        word |= (bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * index);
    }
    word
}
