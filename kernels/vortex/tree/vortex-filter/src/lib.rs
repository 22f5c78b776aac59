//! Filters over slices and bits: what vortex-array does below its arrays.

mod bits;
mod execute;
mod rank;

pub use bits::filter_bits;
pub use execute::filter;
pub use rank::translate_ranks;
