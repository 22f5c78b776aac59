//! Characters by the length of their UTF-8 form, and how each encoding writes one.

use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;

/// Which characters a text may hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Range {
    /// All of Unicode.
    Unicode,
    /// U+0000 to U+00FF.
    Latin1,
}

/// An endless stream of characters.
pub struct Chars {
    range: Range,
    weights: [f64; 4],
    /// Probability that the length class is drawn anew before a character.
    turn: f64,
    class: usize,
    /// For long texts: characters of each class to choose from.
    stock: Vec<[char; STOCK]>,
}

/// Characters of a class in stock. A long text repeats characters anyhow, and choosing one of a
/// few is several times faster than drawing it.
const STOCK: usize = 512;
/// Units from which on a text is a long one.
const LONG: usize = 4096;

impl Chars {
    /// A stream whose length classes have these weights and mean run lengths between `runs.0` and
    /// `runs.1`.
    pub fn new(
        range: Range,
        mut weights: [f64; 4],
        runs: (f64, f64),
        rng: &mut ChaCha8Rng,
    ) -> Chars {
        if range == Range::Latin1 {
            weights[2..].fill(0.0);
        }
        let (lo, hi) = (runs.0.ln(), runs.1.ln());
        let run = (lo + (hi - lo) * rng.random::<f64>()).exp();
        let class = pick(&weights, rng);
        Chars { range, weights, turn: (1.0 / run).min(1.0), class, stock: Vec::new() }
    }

    fn next(&mut self, rng: &mut ChaCha8Rng) -> char {
        let drawn = rng.next_u32();
        let (index, chance) = (drawn as usize % STOCK, drawn / STOCK as u32);
        const CHANCES: f64 = (u32::MAX / STOCK as u32) as f64;
        if self.turn == 1.0 || f64::from(chance) < self.turn * CHANCES {
            self.class = pick(&self.weights, rng);
        }
        match self.stock.get(self.class) {
            Some(stock) => stock[index],
            None => self.draw(self.class, rng),
        }
    }

    fn draw(&self, class: usize, rng: &mut ChaCha8Rng) -> char {
        match self.range {
            Range::Latin1 if class == 1 => within('\u{80}', '\u{ff}', rng),
            _ => of_class(class, rng),
        }
    }

    /// Exactly `n` units of whole characters. Where the next character has no room any more,
    /// ASCII takes its place.
    pub fn text<U>(
        &mut self,
        n: usize,
        write: fn(char, &mut Vec<U>),
        rng: &mut ChaCha8Rng,
    ) -> Vec<U> {
        let mut out = Vec::with_capacity(n + 4);
        if n >= LONG && self.stock.is_empty() {
            self.stock = (0..4).map(|c| std::array::from_fn(|_| self.draw(c, rng))).collect();
        }
        while out.len() < n {
            let before = out.len();
            write(self.next(rng), &mut out);
            if out.len() > n {
                out.truncate(before);
                write(of_class(0, rng), &mut out);
            }
        }
        out
    }
}

fn pick(weights: &[f64; 4], rng: &mut ChaCha8Rng) -> usize {
    let mut at = f64::from(rng.next_u32()) / 2f64.powi(32) * weights.iter().sum::<f64>();
    let mut last = 0;
    for (class, weight) in weights.iter().enumerate().filter(|(_, w)| **w > 0.0) {
        if at < *weight {
            return class;
        }
        at -= weight;
        last = class; // rounding may leave a little behind the last weight
    }
    last
}

/// A character that UTF-8 writes in `class + 1` bytes.
pub fn of_class(class: usize, rng: &mut ChaCha8Rng) -> char {
    match class {
        0 => within('\0', '\u{7f}', rng),
        1 => within('\u{80}', '\u{7ff}', rng),
        2 => within('\u{800}', '\u{ffff}', rng),
        _ => within('\u{10000}', char::MAX, rng),
    }
}

/// A character in `lo..=hi`, now and then one at an edge (those of the surrogates included).
pub fn within(lo: char, hi: char, rng: &mut ChaCha8Rng) -> char {
    // All of it from one number: a text costs the timer more to make than to send.
    let drawn = rng.next_u64();
    if drawn.is_multiple_of(16) {
        let edge = [lo, hi, '\u{d7ff}', '\u{e000}'][(drawn / 16 % 4) as usize];
        if (lo..=hi).contains(&edge) {
            return edge;
        }
    }
    let hole = SURROGATES.end - SURROGATES.start;
    let (first, last) = (u32::from(lo), u32::from(hi));
    let spans_hole = (first..=last).contains(&SURROGATES.start);
    let count = last - first + 1 - if spans_hole { hole } else { 0 };
    let at = first + (((drawn >> 32) * u64::from(count)) >> 32) as u32;
    let at = if spans_hole && at >= SURROGATES.start { at + hole } else { at };
    char::from_u32(at).unwrap_or(lo)
}

/// What is no character.
const SURROGATES: std::ops::Range<u32> = 0xd800..0xe000;

/// Writes UTF-8.
pub fn utf8(c: char, out: &mut Vec<u8>) {
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Writes UTF-16 units.
pub fn utf16(c: char, out: &mut Vec<u16>) {
    out.extend_from_slice(c.encode_utf16(&mut [0; 2]));
}

/// Writes UTF-32.
pub fn utf32(c: char, out: &mut Vec<u32>) {
    out.push(c.into());
}

/// Writes Latin-1; the character is at most U+00FF.
pub fn latin1(c: char, out: &mut Vec<u8>) {
    out.push(c as u8);
}
