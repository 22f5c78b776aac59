//! Elements of a filtered array, found in the one that was filtered.

use vortex_buffer::BitBuffer;
use vortex_mask::Mask;

/// Writes for each rank in `ranks` the position of the set bit of `filter` that has it to `out`, up
/// to the first for which there is none, and says how many it wrote.
///
/// Panics unless `out` is as long as `ranks`.
pub fn translate_ranks(filter: &Mask, ranks: &[u32], out: &mut [u64]) -> usize {
    assert_eq!(ranks.len(), out.len());
    let count = filter.true_count();
    let valid = ranks.iter().position(|rank| *rank as usize >= count).unwrap_or(ranks.len());
    let (ranks, out) = (&ranks[..valid], &mut out[..valid]);
    match filter.values() {
        // All are set, or no rank is valid.
        None => out.iter_mut().zip(ranks).for_each(|(out, rank)| *out = u64::from(*rank)),
        Some(values) => look_up(values.bit_buffer(), ranks, out),
    }
    valid
}

fn look_up(bits: &BitBuffer, ranks: &[u32], out: &mut [u64]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor was asked.
        return unsafe { look_up_bmi2(bits, ranks, out) };
    }
    look_up_by(bits, ranks, out, |mut word, nth| {
        for _ in 0..nth {
            word &= word - 1;
        }
        word.trailing_zeros()
    });
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi2,popcnt")]
fn look_up_bmi2(bits: &BitBuffer, ranks: &[u32], out: &mut [u64]) {
    look_up_by(bits, ranks, out, |word, nth| {
        // SAFETY: this function's caller has asked the processor.
        unsafe { std::arch::x86_64::_pdep_u64(1 << nth, word).trailing_zeros() }
    });
}

/// One in so many ranks is kept with the word that its bit is in.
const STEP: usize = 16;

/// Ranks below the number of set bits, by a directory: the rank that each word of the bits begins
/// with, and where to begin to look for a rank.
#[inline(always)]
fn look_up_by(bits: &BitBuffer, ranks: &[u32], out: &mut [u64], select: impl Fn(u64, u32) -> u32) {
    let mut words = Vec::with_capacity(bits.len() / 64 + 2);
    let mut hints = Vec::<u32>::with_capacity(bits.len() / STEP + 1);
    let mut passed = 0_u32;
    for (index, word) in bits.chunks().iter_padded().enumerate() {
        words.push((word, passed));
        passed += word.count_ones();
        while hints.len() * STEP < passed as usize {
            hints.push(index as u32);
        }
    }
    words.push((0, u32::MAX));
    for (out, &rank) in out.iter_mut().zip(ranks) {
        let mut at = hints[rank as usize / STEP] as usize;
        while words[at + 1].1 <= rank {
            at += 1;
        }
        let (word, before) = words[at];
        *out = 64 * at as u64 + u64::from(select(word, rank - before));
    }
}
