//! Planted errors: what each encoding forbids, between pieces of valid text.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::chars::{self, Chars, of_class, within};

/// Units that no valid text can hold, whatever valid text stands before and after.
pub struct Malformed<U> {
    units: Vec<U>,
    /// The error is that the text ends here.
    last: bool,
}

impl<U> Malformed<U> {
    fn anywhere(units: Vec<U>) -> Self {
        Malformed { units, last: false }
    }

    fn at_end(units: Vec<U>) -> Self {
        Malformed { units, last: true }
    }
}

/// Where an error is planted: code that looks at blocks has a beginning and a rest of its own, in
/// which few errors would stand by chance.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// As early as it can stand.
    First,
    /// As late as it can stand.
    Last,
    /// Anywhere.
    Neither,
}

impl End {
    /// A quarter each of the first two.
    pub fn draw(rng: &mut ChaCha8Rng) -> Self {
        [End::First, End::Last, End::Neither, End::Neither][rng.random_range(0..4)]
    }

    /// One of `places`, of which there is at least one.
    pub fn place(self, places: usize, rng: &mut ChaCha8Rng) -> usize {
        match self {
            End::First => 0,
            End::Last => places - 1,
            End::Neither => rng.random_range(0..places),
        }
    }
}

/// How an encoding writes a character, and what it forbids.
pub struct Encoding<U> {
    write: fn(char, &mut Vec<U>),
    malformed: fn(&mut ChaCha8Rng) -> Malformed<U>,
}

/// UTF-8.
pub const UTF8: Encoding<u8> = Encoding { write: chars::utf8, malformed: utf8 };
/// UTF-8 that holds nothing above U+00FF.
pub const LATIN1_UTF8: Encoding<u8> = Encoding { write: chars::utf8, malformed: latin1_utf8 };
/// UTF-16.
pub const UTF16: Encoding<u16> = Encoding { write: chars::utf16, malformed: utf16 };
/// UTF-16 that holds nothing above U+00FF.
pub const LATIN1_UTF16: Encoding<u16> = Encoding { write: chars::utf16, malformed: latin1_utf16 };
/// UTF-32.
pub const UTF32: Encoding<u32> = Encoding { write: chars::utf32, malformed: utf32 };
/// UTF-32 that holds nothing above U+00FF.
pub const LATIN1_UTF32: Encoding<u32> = Encoding { write: chars::utf32, malformed: latin1_utf32 };

impl<U> Encoding<U> {
    /// Exactly `n` units, with at least one error if `broken` (`n` ≥ 1): one in four begins the
    /// text, one in four ends it. One broken text in four has further errors behind the first, where
    /// there is room: a library that looks at blocks must still report the first.
    pub fn text(&self, n: usize, broken: bool, chars: &mut Chars, rng: &mut ChaCha8Rng) -> Vec<U> {
        if !broken {
            return chars.text(n, self.write, rng);
        }
        let end = End::draw(rng);
        // Every encoding has errors of one unit that may stand anywhere, so this ends.
        let bad = loop {
            let bad = (self.malformed)(rng);
            let len = bad.units.len();
            if len <= n && !(end == End::First && bad.last && len < n) {
                break bad;
            }
        };
        let slack = n - bad.units.len();
        let at = if bad.last { slack } else { end.place(slack + 1, rng) };
        let mut out = chars.text(at, self.write, rng);
        out.extend(bad.units);
        let rest = slack - at;
        // Two errors side by side may complete each other to a character: one unit between.
        let between = usize::from(rest > 1 && rng.random_ratio(1, 4));
        out.extend(chars.text(between, self.write, rng));
        out.extend(self.text(rest - between, between == 1, chars, rng));
        out
    }
}

/// What UTF-8 forbids (The Unicode Standard, table 3-7).
fn utf8(rng: &mut ChaCha8Rng) -> Malformed<u8> {
    let kind = rng.random_range(0..7);
    let mut tail = |lo: u8, hi: u8| rng.random_range(lo..=hi);
    Malformed::anywhere(match kind {
        // Overlong forms of 2, 3 and 4 bytes.
        0 => match tail(0, 2) {
            0 => vec![tail(0xc0, 0xc1), tail(0x80, 0xbf)],
            1 => vec![0xe0, tail(0x80, 0x9f), tail(0x80, 0xbf)],
            _ => vec![0xf0, tail(0x80, 0x8f), tail(0x80, 0xbf), tail(0x80, 0xbf)],
        },
        // A surrogate.
        1 => vec![0xed, tail(0xa0, 0xbf), tail(0x80, 0xbf)],
        // Above U+10FFFF.
        2 => match tail(0, 1) {
            0 => vec![0xf4, tail(0x90, 0xbf), tail(0x80, 0xbf), tail(0x80, 0xbf)],
            _ => vec![tail(0xf5, 0xf7), tail(0x80, 0xbf), tail(0x80, 0xbf), tail(0x80, 0xbf)],
        },
        // A continuation byte of nothing.
        3 => vec![tail(0x80, 0xbf)],
        // The lead byte of five or more, with some continuation bytes.
        4 => {
            let mut units = vec![tail(0xf8, 0xff)];
            units.extend((0..tail(0, 5)).map(|_| tail(0x80, 0xbf)));
            units
        }
        // A character that stops short, before another one or before the end.
        5 => short(rng),
        _ => return Malformed::at_end(short(rng)),
    })
}

/// The first bytes of a character of two bytes or more, at least one of them missing.
fn short(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut units = Vec::new();
    chars::utf8(of_class(rng.random_range(1..=3), rng), &mut units);
    units.truncate(rng.random_range(1..units.len()));
    units
}

/// What UTF-8 that must become Latin-1 forbids: also every character above U+00FF.
fn latin1_utf8(rng: &mut ChaCha8Rng) -> Malformed<u8> {
    if rng.random_bool(0.5) {
        return utf8(rng);
    }
    let mut units = Vec::new();
    chars::utf8(above_latin1(rng), &mut units);
    Malformed::anywhere(units)
}

fn above_latin1(rng: &mut ChaCha8Rng) -> char {
    match rng.random_range(1..=3) {
        1 => within('\u{100}', '\u{7ff}', rng),
        class => of_class(class, rng),
    }
}

/// What UTF-16 forbids: surrogates that are not a pair of a high and a low one.
fn utf16(rng: &mut ChaCha8Rng) -> Malformed<u16> {
    let high = rng.random_range(0xd800..=0xdbff);
    let low = rng.random_range(0xdc00..=0xdfff);
    match rng.random_range(0..4) {
        0 => Malformed::anywhere(vec![high]),
        1 => Malformed::anywhere(vec![low]),
        2 => Malformed::anywhere(vec![low, high]),
        _ => Malformed::at_end(vec![high]),
    }
}

/// What UTF-16 that must become Latin-1 forbids: also every character above U+00FF.
fn latin1_utf16(rng: &mut ChaCha8Rng) -> Malformed<u16> {
    if rng.random_bool(0.5) {
        return utf16(rng);
    }
    let mut units = Vec::new();
    chars::utf16(above_latin1(rng), &mut units);
    Malformed::anywhere(units)
}

/// The same of UTF-32.
fn latin1_utf32(rng: &mut ChaCha8Rng) -> Malformed<u32> {
    match rng.random_bool(0.5) {
        true => utf32(rng),
        false => Malformed::anywhere(vec![above_latin1(rng).into()]),
    }
}

/// What UTF-32 forbids: surrogates and everything above U+10FFFF.
fn utf32(rng: &mut ChaCha8Rng) -> Malformed<u32> {
    Malformed::anywhere(vec![match rng.random_range(0..4) {
        0 | 1 => rng.random_range(0xd800..=0xdfff),
        2 => rng.random_range(0x11_0000..=u32::MAX),
        _ => [0xd800, 0xdfff, 0x11_0000, u32::MAX][rng.random_range(0..4)],
    }])
}
