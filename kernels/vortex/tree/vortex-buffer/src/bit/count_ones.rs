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

fn count_bytes(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    let words: usize = words.iter().map(|word| u64::from_le_bytes(*word).count_ones() as usize).sum();
    words + rest.iter().map(|byte| byte.count_ones() as usize).sum::<usize>()
}
