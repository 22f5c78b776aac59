//! Generators of buffer contents.

pub mod text;

use crate::task::prototype::CType;

/// Why a buffer could not be filled.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GenError {
    /// An option is unknown or has a bad value.
    #[error("generator `{generator}`: `{option}` {why}")]
    Option {
        /// Generator.
        generator: String,
        /// Option.
        option: String,
        /// What is wrong, to follow the option's name.
        why: &'static str,
    },
    /// The generator can't make elements of this type.
    #[error("generator `{generator}` can't fill elements of type {elem:?}")]
    Element {
        /// Generator.
        generator: String,
        /// Type of an element.
        elem: CType,
    },
}

impl GenError {
    fn option(generator: &str, option: &str, why: &'static str) -> Self {
        GenError::Option { generator: generator.into(), option: option.into(), why }
    }

    fn element(generator: &str, elem: CType) -> Self {
        GenError::Element { generator: generator.into(), elem }
    }
}
/// tmp
pub fn fill(
    fill: &crate::task::Fill,
    elem: CType,
    rows: u64,
    cols: u64,
    stride: u64,
    rng: &mut rand_chacha::ChaCha8Rng,
) -> Result<Vec<u8>, GenError> {
    let _ = (fill, elem, rows, cols, stride, rng);
    Err(GenError::element("x", elem))
}
