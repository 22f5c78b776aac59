//! Makes the content of buffers: reproducible from the generator's state, little-endian, the
//! padding between rows filled with random bytes.

pub mod classes;
pub mod floats;
pub mod formats;
pub mod image;
pub mod numbers;
pub mod patterns;
pub mod related;
#[cfg(test)]
mod tests;
pub mod text;

use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;

use crate::task::Fill;
use crate::task::own::OwnFill;
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
    /// A generator of the task's own failed.
    #[error("{0}")]
    Own(String),
    /// What it is to follow has another extent, or no content.
    #[error("the buffer that it follows has no content of the same extent")]
    Unlike,
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

/// Content without padding, and which of the generator's classes it is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What it is an example of.
    pub classes: Vec<&'static str>,
}

impl Made {
    /// Of no class.
    pub fn plain(bytes: Vec<u8>) -> Self {
        Self { bytes, classes: Vec::new() }
    }
}

/// Content of a buffer, and the classes that it is of, as [`classes::declared`] names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// All bytes of the extent.
    pub bytes: Vec<u8>,
    /// Its classes.
    pub classes: Vec<String>,
}

/// Sizes of a buffer, in elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Rows; 1 for a flat buffer.
    pub rows: u64,
    /// Elements a row.
    pub cols: u64,
    /// Elements from one row to the next.
    pub stride: u64,
}

/// Content of another buffer, without padding.
type Packed<'a> = dyn Fn(&str) -> Option<Vec<u8>> + 'a;

/// What a generator of the task's own makes: so many elements, from a seed.
pub type Generate<'a> = dyn FnMut(&OwnFill, CType, u64, u64) -> Result<Vec<u8>, String> + 'a;

/// What content may depend on besides its own fill.
pub struct Around<'a> {
    /// Content of another buffer of the same call.
    pub other: &'a dyn Fn(&str) -> Option<&'a [u8]>,
    /// Generators of the task's own.
    pub own: &'a mut Generate<'a>,
}

/// The bytes of a whole extent: `((rows - 1) * stride + cols) * elem.size()` of them, none for no
/// rows. A flat buffer is one row.
pub fn fill(
    fill: &Fill,
    elem: CType,
    Extent { rows, cols, stride }: Extent,
    around: &mut Around<'_>,
    rng: &mut ChaCha8Rng,
) -> Result<Content, GenError> {
    if rows > 1 && stride < cols {
        return Err(GenError::Stride { cols, stride });
    }
    let mut extent =
        room(elem, rows, cols, stride).ok_or(GenError::TooLarge { rows, cols, stride })?;
    // Both were allocated: neither product can overflow.
    let (row, step) = ((cols * elem.size()) as usize, (stride * elem.size()) as usize);
    let len = extent.len();
    let other = around.other;
    let packed = |name: &str| {
        let bytes = other(name).filter(|bytes| bytes.len() == len)?;
        let rows = bytes.chunks(step.max(1)).map(|r| &r[..row.min(r.len())]);
        Some(rows.take(rows_of(row, bytes, step)).collect::<Vec<_>>().concat())
    };
    let Content { bytes, classes } = content(fill, elem, (rows, cols), (&packed, around.own), rng)?;
    if bytes.len() == extent.len() {
        return Ok(Content { bytes, classes });
    }
    rng.fill(&mut extent[..]);
    if row > 0 {
        for (from, to) in bytes.chunks_exact(row).zip(extent.chunks_mut(step)) {
            to[..row].copy_from_slice(from);
        }
    }
    Ok(Content { bytes: extent, classes })
}

/// The same for a fill that depends on nothing else.
pub fn fill_alone(
    with: &Fill,
    elem: CType,
    extent: Extent,
    rng: &mut ChaCha8Rng,
) -> Result<Content, GenError> {
    let mut own = |_: &OwnFill, _, _, _| Err("there is no worker at hand".into());
    fill(with, elem, extent, &mut Around { other: &|_| None, own: &mut own }, rng)
}

/// Rows that a buffer of these bytes has.
fn rows_of(row: usize, bytes: &[u8], step: usize) -> usize {
    if row == 0 { 0 } else { bytes.len().div_ceil(step.max(1)) }
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
    (rows, cols): (u64, u64),
    (other, own): (&Packed<'_>, &mut Generate<'_>),
    rng: &mut ChaCha8Rng,
) -> Result<Content, GenError> {
    let n = rows * cols;
    let made = match fill {
        Fill::Any(all) => {
            let index = rng.random_range(0..all.len().max(1));
            let one = all.get(index).unwrap_or(&Fill::Bytes);
            let Content { bytes, classes } = content(one, elem, (rows, cols), (other, own), rng)?;
            return Ok(Content { bytes, classes: classes::of_one(index, one, classes) });
        }
        Fill::Twins(of) => {
            let mut same = related::base_rng(elem, n);
            let base = content(of, elem, (rows, cols), (other, own), &mut same)?;
            let variant = content(of, elem, (rows, cols), (other, own), rng)?;
            related::twin(base.bytes, &variant.bytes, elem, rng)
        }
        Fill::Beside { other: name, above, by } => {
            let bytes = other(name).ok_or(GenError::Unlike)?;
            related::beside(&bytes, *above, *by, elem, n, rng)?
        }
        Fill::Own(own_fill) => {
            let bytes = own(own_fill, elem, n, rng.next_u64()).map_err(GenError::Own)?;
            if bytes.len() as u64 != n * elem.size() {
                return Err(GenError::Own("it made another number of elements".into()));
            }
            Made::plain(bytes)
        }
        Fill::Bytes => Made::plain(numbers::bytes(elem, n, rng)?),
        Fill::Int { lo, hi } => Made::plain(numbers::int(*lo, *hi, elem, n, rng)?),
        Fill::Float { lo, hi, special } => numbers::float(*lo, *hi, *special, elem, n, rng)?,
        Fill::Gen { name, options } if name == "image" => match options.first() {
            Some((option, _)) => {
                return Err(GenError::option(name, option, "is no option of this generator"));
            }
            None => image::fill(elem, rows, cols, rng)?,
        },
        Fill::Gen { name, options } if name == "floats" => floats::fill(options, elem, n, rng)?,
        Fill::Gen { name, options } => text::fill(name, options, elem, n, rng)
            .or_else(|| patterns::fill(name, options, elem, n, rng))
            .or_else(|| formats::fill(name, options, elem, n, rng))
            .unwrap_or_else(|| Err(GenError::Unknown(name.clone())))?,
    };
    let classes = made.classes.iter().map(|class| classes::named(fill, class)).collect();
    Ok(Content { bytes: made.bytes, classes })
}
