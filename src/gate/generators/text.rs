//! Text in the encodings that text libraries work on: UTF-8, UTF-16, UTF-32, ASCII, Latin-1 (in
//! units of its own, and as text in the others that holds nothing else) and base64 in both alphabets,
//! valid or with a planted error.
//!
//! Options (each a list of numbers):
//! - `mix = [w1, w2, w3, w4]`: weights of the characters that UTF-8 writes in 1, 2, 3 and 4 bytes
//!   (for Latin-1 text the first two: below and from U+0080). Default `[4, 2, 3, 1]`.
//! - `runs = r` or `[lo, hi]`: mean number of characters before the length changes; of two numbers
//!   each text draws its own in between (uniform in the logarithm). Default 1.
//! - `broken = p`: probability that a text holds an error, of which a quarter each begins and ends
//!   it. A text of no units can't be broken.
//! - `space = p` (base64): probability that a unit is white space.

mod base64;
mod broken;
mod chars;
#[cfg(test)]
mod tests;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{GenError, Made, formats};
use crate::task::prototype::CType;
pub use broken::End;
use chars::{Chars, Range};

/// Names of the text generators with the options each takes.
pub const BUILTIN: &[(&str, &[&str])] = &[
    ("utf8", &["mix", "runs", "broken"]),
    ("utf16le", &["mix", "runs", "broken"]),
    ("utf16be", &["mix", "runs", "broken"]),
    ("utf32", &["mix", "runs", "broken"]),
    ("ascii", &["broken"]),
    ("latin1", &["mix", "runs"]),
    ("latin1_utf8", &["mix", "runs", "broken"]),
    ("latin1_utf16le", &["mix", "runs", "broken"]),
    ("latin1_utf16be", &["mix", "runs", "broken"]),
    ("latin1_utf32", &["mix", "runs", "broken"]),
    ("base64", &["space", "broken"]),
    ("base64url", &["space", "broken"]),
];

/// Exactly `n` code units of text by the generator `name`, as little-endian bytes (`utf16be`
/// stores each unit's high byte first). `None`: not a text generator.
pub fn fill(
    name: &str,
    options: &[(String, Vec<f64>)],
    elem: CType,
    n: u64,
    rng: &mut ChaCha8Rng,
) -> Option<Result<Made, GenError>> {
    let &(name, allowed) = BUILTIN.iter().find(|(known, _)| *known == name)?;
    Some(Options::parse(name, allowed, options).and_then(|o| text(name, &o, elem, n as usize, rng)))
}

fn text(
    name: &'static str,
    options: &Options,
    elem: CType,
    n: usize,
    rng: &mut ChaCha8Rng,
) -> Result<Made, GenError> {
    let sizes: &[u64] = match name {
        "utf16le" | "utf16be" | "latin1_utf16le" | "latin1_utf16be" => &[2],
        "utf32" | "latin1_utf32" => &[4],
        "base64" | "base64url" => &[1, 2],
        _ => &[1],
    };
    if !sizes.contains(&elem.size()) || elem == CType::Bool || elem.is_float() {
        return Err(GenError::element(name, elem));
    }
    let broken = n > 0 && rng.random_bool(options.broken);
    let range = if name.starts_with("latin1") { Range::Latin1 } else { Range::Unicode };
    let mut chars = Chars::new(range, options.mix, options.runs, rng);
    let bytes = match name {
        "utf8" => broken::UTF8.text(n, broken, &mut chars, rng),
        "latin1_utf8" => broken::LATIN1_UTF8.text(n, broken, &mut chars, rng),
        "latin1" => chars.text(n, chars::latin1, rng),
        "ascii" => ascii(n, broken, rng),
        "base64" | "base64url" => {
            let alphabet = if name == "base64" { base64::STANDARD } else { base64::URL };
            base64::text(alphabet, n, elem.size() as usize, options.space, broken, rng)
        }
        "utf32" | "latin1_utf32" => {
            let narrow = range == Range::Latin1;
            let encoding = if narrow { broken::LATIN1_UTF32 } else { broken::UTF32 };
            let units = encoding.text(n, broken, &mut chars, rng);
            units.into_iter().flat_map(u32::to_le_bytes).collect()
        }
        _ => {
            let narrow = range == Range::Latin1;
            let encoding = if narrow { broken::LATIN1_UTF16 } else { broken::UTF16 };
            let units = encoding.text(n, broken, &mut chars, rng);
            let bytes = if name.ends_with("be") { u16::to_be_bytes } else { u16::to_le_bytes };
            units.into_iter().flat_map(bytes).collect()
        }
    };
    Ok(Made { bytes, classes: vec![formats::CLASSES[usize::from(broken)]] })
}

/// Uniform ASCII, control characters included; a broken text has one high byte.
fn ascii(n: usize, broken: bool, rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut out = vec![0u8; n];
    rng.fill(&mut out[..]);
    out.iter_mut().for_each(|b| *b &= 0x7f);
    if broken {
        out[End::draw(rng).place(n, rng)] |= 0x80;
    }
    out
}

/// What the manifest may say about a text.
struct Options {
    mix: [f64; 4],
    /// Bounds of the mean run length, in characters.
    runs: (f64, f64),
    broken: f64,
    space: f64,
}

impl Options {
    fn parse(
        name: &'static str,
        allowed: &[&str],
        given: &[(String, Vec<f64>)],
    ) -> Result<Options, GenError> {
        let mut options =
            Options { mix: [4.0, 2.0, 3.0, 1.0], runs: (1.0, 1.0), broken: 0.0, space: 0.0 };
        for (key, values) in given {
            let wrong = |why: &'static str| Err(GenError::option(name, key, why));
            match key.as_str() {
                key if !allowed.contains(&key) => return wrong("is no option of this generator"),
                "mix" => {
                    let most = if name.starts_with("latin1") { 2 } else { 4 };
                    let usable = values.iter().all(|w| w.is_finite() && *w >= 0.0);
                    if values.len() > most || !usable || values.iter().sum::<f64>() <= 0.0 {
                        return wrong("takes up to 4 weights (Latin-1: 2), not all of them zero");
                    }
                    options.mix = [0.0; 4];
                    options.mix[..values.len()].copy_from_slice(values);
                }
                "runs" => {
                    options.runs = match values[..] {
                        [r] if (1.0..=1e9).contains(&r) => (r, r),
                        [lo, hi] if 1.0 <= lo && lo <= hi && hi <= 1e9 => (lo, hi),
                        _ => return wrong("takes a mean length of at least 1, or two of them"),
                    }
                }
                _ => match values[..] {
                    [p] if (0.0..=1.0).contains(&p) && key == "space" => options.space = p,
                    [p] if (0.0..=1.0).contains(&p) => options.broken = p,
                    _ => return wrong("takes one probability"),
                },
            }
        }
        Ok(options)
    }
}
