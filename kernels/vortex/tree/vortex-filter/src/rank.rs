//! Elements of a filtered array, found in the one that was filtered.

use vortex_mask::{AllOr, Mask};

/// Writes for each rank in `ranks` the position of the set bit of `filter` that has it to `out`, up
/// to the first for which there is none, and says how many it wrote.
///
/// Panics unless `out` is as long as `ranks`.
pub fn translate_ranks(filter: &Mask, ranks: &[u32], out: &mut [u64]) -> usize {
    assert_eq!(ranks.len(), out.len());
    let count = filter.true_count();
    let valid = ranks.iter().position(|rank| *rank as usize >= count).unwrap_or(ranks.len());
    let pairs = ranks[..valid].iter().zip(out);
    match filter.indices() {
        AllOr::All => pairs.for_each(|(rank, out)| *out = u64::from(*rank)),
        AllOr::None => {}
        AllOr::Some(indices) => {
            pairs.for_each(|(rank, out)| *out = indices[*rank as usize] as u64);
        }
    }
    valid
}
