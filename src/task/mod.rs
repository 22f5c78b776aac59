//! What a step is: the manifest, its expressions and prototypes, where the source comes from.

pub mod cache;
pub mod error;
pub mod expression;
pub mod files;
#[cfg(test)]
pub(crate) mod fixture;
pub mod flags;
pub mod known;
pub mod lint;
pub mod locate;
pub mod manifest;
pub mod model;
pub mod own;
pub mod prototype;
pub mod same;
pub mod sample;
pub mod scratch;
pub mod source;
pub mod strip;
pub mod vendor;
pub mod vocabulary;

pub use error::TaskError;
pub use locate::{find, list, root};
pub use model::*;
pub use same::{Near, Rule, Same};
