//! What a step is: the manifest, its expressions and prototypes, where the source comes from.

pub mod expression;
pub mod model;
pub mod prototype;

pub use model::*;
