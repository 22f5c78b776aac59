//! Where the bit of a given rank is.

use super::count_ones::split;

/// Position of the set bit before which `nth` others are set, among the `len` bits of `bytes` that
/// begin with bit `offset`; counted from there. `None`: there are not that many.
#[inline]
pub fn bit_select(bytes: &[u8], offset: usize, len: usize, nth: usize) -> Option<usize> {
    select::<false>(bytes, offset, len, nth)
}

/// The same of bits that are not set.
#[inline]
pub fn bit_select_unset(bytes: &[u8], offset: usize, len: usize, nth: usize) -> Option<usize> {
    select::<true>(bytes, offset, len, nth)
}

fn select<const UNSET: bool>(bytes: &[u8], offset: usize, len: usize, nth: usize) -> Option<usize> {
    let flip = if UNSET { u64::MAX } else { 0 };
    let (head, middle, tail) = split(bytes, offset, len);
    let in_head = if offset % 8 == 0 { 0 } else { (8 - offset % 8).min(len) };
    let in_tail = len - in_head - 8 * middle.len();
    let (words, rest) = middle.as_chunks::<8>();
    // Every part with the number of its bits that count; the others are cleared once flipped.
    let head = std::iter::once((u64::from(head), in_head));
    let words = words.iter().map(|word| (u64::from_le_bytes(*word), 64));
    let rest = rest.iter().map(|byte| (u64::from(*byte), 8));
    let tail = std::iter::once((u64::from(tail), in_tail));
    let (mut left, mut position) = (nth, 0);
    for (bits, length) in head.chain(words).chain(rest).chain(tail) {
        let bits = if length == 64 { bits ^ flip } else { (bits ^ flip) & ((1 << length) - 1) };
        let count = bits.count_ones() as usize;
        if left < count {
            return Some(position + in_word(bits, left));
        }
        left -= count;
        position += length;
    }
    None
}

/// Position of the set bit of a word before which `nth` others are set. There must be one.
fn in_word(mut word: u64, nth: usize) -> usize {
    for _ in 0..nth {
        word &= word - 1;
    }
    word.trailing_zeros() as usize
}
