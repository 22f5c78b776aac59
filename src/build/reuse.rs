//! How much of what a candidate adds stands in the upstream tree already.
//!
//! Two measures. *Verbatim*: of the lines that it adds (those that are not trivial: no blank lines,
//! brackets alone, comments, preprocessor lines), the share that stands in upstream, white space at
//! both ends aside. *Normalised*: of the tokens that it adds, the share that lies in a run of
//! `RUN` tokens that upstream has, too, once names, literals' spelling, brackets and qualifiers
//! are set aside; so neither renaming nor another layout hides a copy. Neither says that something
//! was copied: short idioms stand everywhere.

use std::collections::{HashMap, HashSet};

use super::lexer::{Kind, Lexer, Token};
use crate::task::files::Files;

/// Tokens that must follow each other in the same order for a likeness: some three lines.
const RUN: usize = 24;

/// Added lines below which a share says nothing, and no limit holds.
const FEWEST_LINES: usize = 20;

/// What was counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reuse {
    /// Lines that the candidate adds.
    pub lines: usize,
    /// Of these, how many stand anywhere in the upstream tree.
    pub anywhere: usize,
    /// Of these, how many stand in the upstream file of the same path, or else name.
    pub same_file: usize,
    /// Tokens that the candidate adds, names and layout set aside.
    pub tokens: usize,
    /// Of these, how many lie in a run that upstream has.
    pub alike: usize,
}

impl Reuse {
    /// Share of the added lines that stand anywhere in upstream.
    pub fn verbatim(&self) -> f64 {
        share(self.anywhere, self.lines)
    }

    /// Share of the added lines that stand in the same file of upstream.
    pub fn verbatim_same_file(&self) -> f64 {
        share(self.same_file, self.lines)
    }

    /// Share of the added tokens that are alike in upstream.
    pub fn normalised(&self) -> f64 {
        share(self.alike, self.tokens)
    }

    /// Says why it is more than a task allows, if it is.
    pub(super) fn above(&self, limit: f64) -> Option<String> {
        let most = self.verbatim().max(self.normalised());
        (self.lines >= FEWEST_LINES && most > limit).then(|| {
            format!(
                "of the {} lines that it adds {:.0} % stand in the upstream library word for word, \
                 and {:.0} % of its code does once names and layout are set aside; this task \
                 allows {:.0} % (`reuse` of its [limits])",
                self.lines,
                100.0 * self.verbatim(),
                100.0 * self.normalised(),
                100.0 * limit
            )
        })
    }
}

fn share(part: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { part as f64 / all as f64 }
}

/// Counts for a candidate's tree.
pub fn measure(candidate: &Files, pristine: &Files, upstream: &Files) -> Reuse {
    let mut reuse = Reuse::default();
    let touched = |(name, bytes): &(&String, &Vec<u8>)| pristine.0.get(*name) != Some(*bytes);
    let touched: Vec<_> = candidate.0.iter().filter(touched).collect();
    if touched.is_empty() {
        return reuse;
    }
    let everywhere: HashSet<&[u8]> = upstream.0.values().flat_map(|text| lines(text)).collect();
    let (known, old) = (runs(upstream), runs(pristine));
    for (name, text) in touched {
        let here = corresponding(name, upstream);
        for line in added(text, pristine.0.get(name).map_or(&[][..], Vec::as_slice)) {
            reuse.lines += 1;
            reuse.anywhere += usize::from(everywhere.contains(line));
            reuse.same_file += usize::from(here.contains(line));
        }
        let tokens = normalised(text);
        let (alike, old) = (covered(&tokens, &known), covered(&tokens, &old));
        reuse.tokens += old.iter().filter(|old| !**old).count();
        reuse.alike += alike.iter().zip(&old).filter(|(alike, old)| **alike && !**old).count();
    }
    reuse
}

/// Lines of a text that are not in the older one; one that is there more often now is added as
/// often as that.
fn added<'a>(text: &'a [u8], older: &'a [u8]) -> Vec<&'a [u8]> {
    let mut left: HashMap<&[u8], usize> = HashMap::new();
    lines(older).into_iter().for_each(|line| *left.entry(line).or_default() += 1);
    let mut new = lines(text);
    new.retain(|line| match left.get_mut(line) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    });
    new
}

/// The lines of a text that are not trivial, white space at both ends cut off.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    let mut says = HashSet::new();
    for token in Lexer::new(text) {
        let bracket = token.kind == Kind::Mark && b"{}()[];,".contains(&token.text[0]);
        if token.kind != Kind::Directive && !bracket {
            says.insert(token.line);
        }
    }
    let numbered = text.split(|b| *b == b'\n').zip(1..);
    numbered.filter(|(_, line)| says.contains(line)).map(|(text, _)| text.trim_ascii()).collect()
}

/// The lines of the upstream file that a file stands for.
fn corresponding<'a>(name: &str, upstream: &'a Files) -> HashSet<&'a [u8]> {
    let base = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let same = upstream.0.get(name).into_iter();
    let wanted = base(name);
    let others = upstream
        .0
        .iter()
        .filter(|(path, _)| !upstream.0.contains_key(name) && base(path) == wanted);
    same.chain(others.map(|(_, text)| text)).flat_map(|text| lines(text)).collect()
}

/// Words that are left out: code means the same to a reader without them.
const QUALIFIERS: [&[u8]; 10] = [
    b"const",
    b"static",
    b"inline",
    b"constexpr",
    b"register",
    b"volatile",
    b"noexcept",
    b"restrict",
    b"__restrict",
    b"__restrict__",
];

/// Words that stay as they are, beside those of the compiler (which start with `_`) and types
/// (which end in `_t`): a copy cannot do without them. Every other one counts as a name.
const KEYWORDS: [&[u8]; 34] = [
    b"if",
    b"else",
    b"for",
    b"while",
    b"do",
    b"switch",
    b"case",
    b"default",
    b"return",
    b"break",
    b"continue",
    b"goto",
    b"sizeof",
    b"struct",
    b"union",
    b"enum",
    b"typedef",
    b"template",
    b"typename",
    b"class",
    b"new",
    b"delete",
    b"this",
    b"int",
    b"unsigned",
    b"signed",
    b"char",
    b"short",
    b"long",
    b"float",
    b"double",
    b"void",
    b"bool",
    b"auto",
];

/// The tokens of a text with everything set aside that a copy can change without effort.
fn normalised(text: &[u8]) -> Vec<u64> {
    Lexer::new(text).filter_map(|token| symbol(&token)).collect()
}

fn symbol(token: &Token) -> Option<u64> {
    match token.kind {
        Kind::Directive => None,
        Kind::Text => Some(1),
        Kind::Mark if matches!(token.text, b"{" | b"}") => None,
        Kind::Number => Some(hash(&number(token.text))),
        Kind::Word if QUALIFIERS.contains(&token.text) => None,
        Kind::Word
            if !(KEYWORDS.contains(&token.text)
                || token.text.starts_with(b"_")
                || token.text.ends_with(b"_t")) =>
        {
            Some(2)
        }
        Kind::Word | Kind::Mark => Some(hash(token.text)),
    }
}

/// A number by its value where it is an integer.
fn number(text: &[u8]) -> Vec<u8> {
    let text: String = text.iter().filter(|b| **b != b'\'').map(|b| char::from(*b)).collect();
    let text = text.to_ascii_lowercase();
    let digits = text.trim_end_matches(['u', 'l']);
    let value = match (digits.strip_prefix("0x"), digits.strip_prefix("0b")) {
        (Some(hex), _) => u128::from_str_radix(hex, 16),
        (_, Some(binary)) => u128::from_str_radix(binary, 2),
        _ => digits.parse(),
    };
    value.map_or(text.into_bytes(), |value| value.to_le_bytes().to_vec())
}

/// FNV-1a: the same in every run.
fn hash(bytes: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    bytes.iter().fold(start, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3))
}

/// Hashes of all runs of `RUN` tokens, in order.
fn windows(tokens: &[u64]) -> impl Iterator<Item = u64> {
    let mix = |run: &[u64]| {
        run.iter().fold(0, |h: u64, t| (h ^ t).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29))
    };
    tokens.windows(RUN).map(mix)
}

fn runs(files: &Files) -> HashSet<u64> {
    files.0.values().flat_map(|text| windows(&normalised(text)).collect::<Vec<_>>()).collect()
}

/// Which tokens lie in a known run.
fn covered(tokens: &[u64], known: &HashSet<u64>) -> Vec<bool> {
    let mut covered = vec![false; tokens.len()];
    for (at, run) in windows(tokens).enumerate() {
        if known.contains(&run) {
            covered[at..at + RUN].fill(true);
        }
    }
    covered
}

#[cfg(test)]
#[path = "reuse_tests.rs"]
mod tests;
