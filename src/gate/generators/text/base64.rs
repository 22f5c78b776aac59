//! Base64 as the WHATWG's forgiving decoder reads it: white space anywhere, padding optional.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::End;

type Alphabet = &'static [u8; 64];

/// RFC 4648, section 4.
pub const STANDARD: Alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// RFC 4648, section 5: for URLs and names of files.
pub const URL: Alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const SPACES: &[u8; 5] = b" \t\n\x0c\r";

/// Exactly `n` units of `size` bytes (1, or 2 in little-endian order), each white space with
/// probability `space`. Unused bits of the last symbol are zero.
pub fn text(
    alphabet: Alphabet,
    n: usize,
    size: usize,
    space: f64,
    broken: bool,
    rng: &mut ChaCha8Rng,
) -> Vec<u8> {
    let error = broken.then(|| Error::draw(rng));
    let mut symbols: Vec<usize> = (0..n).filter(|_| !rng.random_bool(space)).collect();
    if error == Some(Error::Leftover) {
        if symbols.is_empty() {
            symbols.push(rng.random_range(0..n));
        }
        while symbols.len() % 4 != 1 {
            symbols.remove(rng.random_range(0..symbols.len()));
        }
    } else if symbols.len() % 4 == 1 {
        symbols.remove(rng.random_range(0..symbols.len()));
    }

    let mut units: Vec<u16> = (0..n).map(|_| SPACES[rng.random_range(0..5)].into()).collect();
    for &at in &symbols {
        units[at] = alphabet[rng.random_range(0..64)].into();
    }
    let padding = match symbols.len() % 4 {
        0 if !symbols.is_empty() => rng.random_range(0..=2),
        _ => 0,
    };
    for at in symbols.split_off(symbols.len() - padding) {
        units[at] = b'='.into();
    }
    let unused = match symbols.len() % 4 {
        2 => 16,
        3 => 4,
        _ => 1,
    };
    if let Some(&last) = symbols.last() {
        units[last] = alphabet[rng.random_range(0..64 / unused) * unused].into();
    }

    match error {
        // A text without leftovers has no symbol, or two at least.
        Some(Error::Padding) if !symbols.is_empty() => {
            units[symbols[End::draw(rng).place(symbols.len() - 1, rng)]] = b'='.into();
        }
        Some(Error::Padding | Error::Character) => {
            units[End::draw(rng).place(n, rng)] = foreign(alphabet, size, rng);
        }
        Some(Error::Leftover) | None => {}
    }
    units.into_iter().flat_map(|u| u.to_le_bytes().into_iter().take(size)).collect()
}

/// What a text can have wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Error {
    /// A unit outside the alphabet.
    Character,
    /// Padding with a symbol behind it.
    Padding,
    /// A last group of one symbol.
    Leftover,
}

impl Error {
    fn draw(rng: &mut ChaCha8Rng) -> Error {
        [Error::Character, Error::Padding, Error::Leftover][rng.random_range(0..3)]
    }
}

/// A unit that is no symbol, no padding and no white space.
fn foreign(alphabet: Alphabet, size: usize, rng: &mut ChaCha8Rng) -> u16 {
    loop {
        let unit = rng.random_range(0..=if size == 1 { 0xff } else { u16::MAX });
        let known = u8::try_from(unit)
            .is_ok_and(|b| b == b'=' || alphabet.contains(&b) || SPACES.contains(&b));
        if !known {
            return unit;
        }
    }
}
