//! Where the bit of a given rank is.

use super::count_ones::{count_bytes, split};

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

/// Bytes that are counted at once.
const BLOCK: usize = 2048;

fn select<const UNSET: bool>(bytes: &[u8], offset: usize, len: usize, nth: usize) -> Option<usize> {
    let (head, middle, tail) = split(bytes, offset, len);
    let in_head = if offset % 8 == 0 { 0 } else { (8 - offset % 8).min(len) };
    let in_tail = len - in_head - 8 * middle.len();
    let mut search = Search::<UNSET> { left: nth, position: 0 };
    if let Some(found) = search.part(u64::from(head), in_head) {
        return Some(found);
    }
    for block in middle.chunks(BLOCK) {
        let count = count_bytes(block);
        let count = if UNSET { 8 * block.len() - count } else { count };
        if search.left < count {
            return search.within(block);
        }
        search.left -= count;
        search.position += 8 * block.len();
    }
    search.part(u64::from(tail), in_tail)
}

/// How many bits are still to be passed, and where the next one is.
struct Search<const UNSET: bool> {
    left: usize,
    position: usize,
}

impl<const UNSET: bool> Search<UNSET> {
    /// Looks in the lowest `length` bits.
    #[inline(always)]
    fn part(&mut self, bits: u64, length: usize) -> Option<usize> {
        let bits = if UNSET { !bits } else { bits };
        let bits = if length == 64 { bits } else { bits & ((1 << length) - 1) };
        let count = bits.count_ones() as usize;
        if self.left < count {
            return Some(self.position + in_word(bits, self.left));
        }
        self.left -= count;
        self.position += length;
        None
    }

    /// Looks in a block that has the bit.
    fn within(&mut self, block: &[u8]) -> Option<usize> {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("popcnt") {
            // SAFETY: the processor was asked.
            return unsafe { self.within_popcnt(block) };
        }
        self.by_words(block)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "popcnt")]
    fn within_popcnt(&mut self, block: &[u8]) -> Option<usize> {
        self.by_words(block)
    }

    #[inline(always)]
    fn by_words(&mut self, block: &[u8]) -> Option<usize> {
        let (groups, rest) = block.as_chunks::<64>();
        for group in groups {
            let (words, _) = group.as_chunks::<8>();
            let count = words.iter().map(|word| u64::from_le_bytes(*word).count_ones()).sum::<u32>();
            let count = count as usize;
            let count = if UNSET { 512 - count } else { count };
            if self.left < count {
                return words.iter().find_map(|word| self.part(u64::from_le_bytes(*word), 64));
            }
            self.left -= count;
            self.position += 512;
        }
        let (words, rest) = rest.as_chunks::<8>();
        let found = words.iter().find_map(|word| self.part(u64::from_le_bytes(*word), 64));
        found.or_else(|| rest.iter().find_map(|byte| self.part(u64::from(*byte), 8)))
    }
}

/// Position of the set bit of a word before which `nth` others are set. There must be one.
#[inline]
fn in_word(mut word: u64, nth: usize) -> usize {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("bmi2") {
        // SAFETY: the processor was asked.
        return unsafe { in_word_bmi2(word, nth) };
    }
    for _ in 0..nth {
        word &= word - 1;
    }
    word.trailing_zeros() as usize
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi2")]
fn in_word_bmi2(word: u64, nth: usize) -> usize {
    std::arch::x86_64::_pdep_u64(1 << nth, word).trailing_zeros() as usize
}
