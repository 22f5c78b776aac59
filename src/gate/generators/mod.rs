//! Makes the content of buffers: reproducible from the generator's state, little-endian, the
//! padding between rows filled with random bytes.

pub mod image;
pub mod numbers;
#[cfg(test)]
mod tests;
pub mod text;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::task::Fill;
use crate::task::prototype::CType;
pub use crate::task::vocabulary::GENERATORS as BUILTIN;

/// Why a buffer could not be filled.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GenError {
    /// No generator has this name.
    #[error("there is no generator `{0}`")]
    Unknown(String),
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
    #[error("generator `{generator}` can't fill elements of type `{elem}`")]
    Element {
        /// Generator.
        generator: String,
        /// Type of an element.
        elem: CType,
    },
    /// Rows would overlap.
    #[error("a row of {cols} elements does not fit in a stride of {stride}")]
    Stride {
        /// Elements a row.
        cols: u64,
        /// Elements from one row to the next.
        stride: u64,
    },
    /// The extent can't be allocated.
    #[error("{rows} rows of {cols} elements, {stride} apart, don't fit in memory")]
    TooLarge {
        /// Rows.
        rows: u64,
        /// Elements a row.
        cols: u64,
        /// Elements from one row to the next.
        stride: u64,
    },
}

impl GenError {
    /// An option that is unknown or has a bad value; `why` follows its name.
    pub fn option(generator: &str, option: &str, why: &'static str) -> Self {
        GenError::Option { generator: generator.into(), option: option.into(), why }
    }

    /// A type of element that a generator can't make.
    pub fn element(generator: &str, elem: CType) -> Self {
        GenError::Element { generator: generator.into(), elem }
    }
}

/// The bytes of a whole extent: `((rows - 1) * stride + cols) * elem.size()` of them, none for no
/// rows. A flat buffer is one row.
pub fn fill(
    fill: &Fill,
    elem: CType,
    rows: u64,
    cols: u64,
    stride: u64,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<u8>, GenError> {
    if rows > 1 && stride < cols {
        return Err(GenError::Stride { cols, stride });
    }
    let mut extent =
        room(elem, rows, cols, stride).ok_or(GenError::TooLarge { rows, cols, stride })?;
    let content = content(fill, elem, rows, cols, rng)?;
    if content.len() == extent.len() {
        return Ok(content);
    }
    rng.fill(&mut extent[..]);
    // Both were allocated: neither product can overflow.
    let (row, step) = ((cols * elem.size()) as usize, (stride * elem.size()) as usize);
    if row > 0 {
        for (from, to) in content.chunks_exact(row).zip(extent.chunks_mut(step)) {
            to[..row].copy_from_slice(from);
        }
    }
    Ok(extent)
}

/// Zeroed memory for an extent, if there is enough.
fn room(elem: CType, rows: u64, cols: u64, stride: u64) -> Option<Vec<u8>> {
    let elements = match rows {
        0 => 0,
        _ => (rows - 1).checked_mul(stride)?.checked_add(cols)?,
    };
    let bytes = usize::try_from(elements.checked_mul(elem.size())?).ok()?;
    let mut memory = Vec::new();
    memory.try_reserve_exact(bytes).ok()?;
    memory.resize(bytes, 0);
    Some(memory)
}

/// `rows * cols` elements without padding.
fn content(
    fill: &Fill,
    elem: CType,
    rows: u64,
    cols: u64,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<u8>, GenError> {
    let n = rows * cols;
    match fill {
        Fill::Bytes => numbers::bytes(elem, n, rng),
        Fill::Int { lo, hi } => numbers::int(*lo, *hi, elem, n, rng),
        Fill::Float { lo, hi, special } => numbers::float(*lo, *hi, *special, elem, n, rng),
        Fill::Gen { name, options } if name == "image" => match options.first() {
            Some((option, _)) => {
                Err(GenError::option(name, option, "is no option of this generator"))
            }
            None => image::fill(elem, rows, cols, rng),
        },
        Fill::Gen { name, options } => text::fill(name, options, elem, n, rng)
            .unwrap_or_else(|| Err(GenError::Unknown(name.clone()))),
    }
}
