//! What a source says to the compiler beside the task's flags: pragmas and attributes that set
//! how code is optimised or how floating-point arithmetic behaves.
//!
//! Two witnesses are heard, and neither is the source itself, which can hide a word behind
//! macros, joined lines, digraphs and string pasting. One is the preprocessor's output, which has
//! every pragma and every attribute in clear. The other is GCC's own list of the functions that
//! it compiles with the attributes that it has understood: with GCC, a `target` pragma changes
//! macros while a file is compiled, but not while it is only preprocessed, so that code can look
//! different to the first witness.

use std::iter::Peekable;

use super::lexer::{Kind, Lexer, Token};
use crate::task::Permit;

/// One thing that a source may only say with the task's permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The permission that it needs.
    pub permit: Permit,
    /// What it says.
    pub what: String,
    /// Where: a file and line, or a function.
    pub place: String,
}

/// Why a source is refused, if something in it needs a permission that is not among `permits`.
pub(super) fn refusal(findings: &[Finding], permits: &[Permit]) -> Option<String> {
    let found = findings.iter().find(|f| !permits.contains(&f.permit))?;
    Some(format!(
        "{}: `{}` changes {}, which this task does not permit (only what is in `permit` of its \
         [build]); take it out. Pragmas and attributes that choose an instruction set are fine",
        found.place,
        found.what,
        match found.permit {
            Permit::FloatingPoint => "how floating-point arithmetic behaves",
            _ => "how code is optimised",
        }
    ))
}

/// What stands in the output of `-E`.
pub fn preprocessed(text: &[u8]) -> Vec<Finding> {
    let mut scan = Scan { found: Vec::new(), file: "?".to_owned(), offset: 0 };
    scan.all(text);
    scan.found
}

/// What stands in GCC's list of functions, each headed by its attributes.
pub fn listed(list: &[u8]) -> Vec<Finding> {
    let mut scan = Scan { found: Vec::new(), file: "?".to_owned(), offset: 0 };
    let mut lines = list.split(|b| *b == b'\n').peekable();
    while let Some(line) = lines.next() {
        if !line.starts_with(b"__attribute__") {
            continue;
        }
        let before = scan.found.len();
        scan.all(line);
        let name = String::from_utf8_lossy(lines.peek().copied().unwrap_or_default());
        scan.found[before..].iter_mut().for_each(|f| f.place = format!("function {name}"));
    }
    scan.found
}

/// Attributes and pragmas that set how code is optimised.
const OPTIMIZING: [&str; 3] = ["optimize", "optnone", "minsize"];

/// Pragmas on floating-point arithmetic that stand by themselves.
const FLOATING: [&str; 4] = ["float_control", "fp_contract", "fenv_access", "fenv_round"];

/// Parts of the names of options (of `optimize` or `target`) that change results.
const FLOATING_OPTIONS: [&str; 14] = [
    "math",
    "Ofast",
    "fp-",
    "fpmath",
    "ieee-fp",
    "signed-zeros",
    "excess-precision",
    "cx-",
    "signaling-nans",
    "float",
    "precision-constant",
    "recip",
    "80387",
    "long-double",
];

struct Scan {
    found: Vec<Finding>,
    file: String,
    /// Line of the file minus line of the output.
    offset: i64,
}

type Tokens<'a> = Peekable<Lexer<'a>>;

impl Scan {
    fn note(&mut self, permit: Permit, what: &str, line: usize) {
        let line = self.offset.saturating_add(line as i64);
        let place = format!("{}:{line}", self.file);
        self.found.push(Finding { permit, what: what.to_owned(), place });
    }

    fn directive(&mut self, token: Token) {
        let skip = if token.text.starts_with(b"%:") { 2 } else { 1 };
        let body = &token.text[skip..];
        let parts: Vec<Token> = Lexer::new(body).take(64).collect();
        let word =
            |at: usize| parts.get(at).map_or("", |t| std::str::from_utf8(t.text).unwrap_or(""));
        let marker = if word(0) == "line" { 1 } else { 0 };
        if let Ok(number) = word(marker).parse::<i64>() {
            self.offset = number.saturating_sub(token.line as i64 + 1);
            if let Some(name) = parts.get(marker + 1).filter(|t| t.kind == Kind::Text) {
                self.file = String::from_utf8_lossy(name.text).trim_matches('"').to_owned();
            }
            return;
        }
        if word(0) != "pragma" {
            return;
        }
        let shown = shown(token.text);
        let options = || texts(&parts);
        match (word(1), word(2)) {
            ("GCC" | "clang", "optimize") => {
                self.note(Permit::Optimize, &shown, token.line);
                if options().any(floating) {
                    self.note(Permit::FloatingPoint, &shown, token.line);
                }
            }
            ("optimize", _) => self.note(Permit::Optimize, &shown, token.line),
            ("GCC", "target") if options().any(floating) => {
                self.note(Permit::FloatingPoint, &shown, token.line);
            }
            // Every standard pragma is about floating-point arithmetic.
            ("STDC", _) | ("clang", "fp") => {
                self.note(Permit::FloatingPoint, &shown, token.line);
            }
            (name, _) if FLOATING.contains(&name) => {
                self.note(Permit::FloatingPoint, &shown, token.line);
            }
            _ => {
                // `#pragma clang attribute push(__attribute__((…)), …)`
                let before = self.offset;
                self.offset = before.saturating_add(token.line as i64 - 1);
                self.all(body);
                self.offset = before;
            }
        }
    }

    fn all(&mut self, text: &[u8]) {
        let mut tokens = Lexer::new(text).peekable();
        while let Some(token) = tokens.next() {
            if token.kind == Kind::Directive {
                self.directive(token);
            } else {
                self.attributes(token, &mut tokens);
            }
        }
    }

    /// The list that `first` begins, if it begins one: `__attribute__((…))` or `[[…]]`.
    fn attributes(&mut self, first: Token, tokens: &mut Tokens) {
        let square = first.is(b'[') && tokens.peek().is_some_and(|t| t.is(b'['));
        if !square && !matches!(first.text, b"__attribute__" | b"__attribute") {
            return;
        }
        let mut depth = usize::from(square);
        while let Some(token) = tokens.next_if(|t| depth > 0 || t.is(b'(')) {
            match token.text {
                b"(" | b"[" | b"{" if token.kind == Kind::Mark => depth += 1,
                b")" | b"]" | b"}" if token.kind == Kind::Mark => {
                    depth -= 1;
                    if depth == 0 {
                        return;
                    }
                }
                name if token.kind == Kind::Word && depth == 2 => {
                    let name = std::str::from_utf8(name).unwrap_or("");
                    self.name(name, token.line, tokens);
                }
                _ => {}
            }
        }
    }

    /// One attribute, whose arguments follow if it has some.
    fn name(&mut self, name: &str, line: usize, tokens: &mut Tokens) {
        let plain = name.trim_matches('_');
        if plain != "target" && !OPTIMIZING.contains(&plain) {
            return;
        }
        let mut depth = 0;
        let mut shown = plain.to_owned();
        let mut is_floating = false;
        while let Some(token) = tokens.next_if(|t| depth > 0 || t.is(b'(')) {
            depth = if token.is(b'(') { depth + 1 } else { depth };
            depth = if token.is(b')') { depth - 1 } else { depth };
            let text = String::from_utf8_lossy(token.text);
            is_floating |= token.kind == Kind::Text && floating(&text);
            if shown.len() < LONGEST {
                shown.push_str(&text);
            }
            if depth == 0 {
                break;
            }
        }
        if OPTIMIZING.contains(&plain) {
            self.note(Permit::Optimize, &shown, line);
        }
        if is_floating {
            self.note(Permit::FloatingPoint, &shown, line);
        }
    }
}

/// Bytes of a source that are shown.
const LONGEST: usize = 120;

fn shown(text: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(text).chars().take(LONGEST).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn texts<'t>(parts: &'t [Token]) -> impl Iterator<Item = &'t str> {
    let texts = parts.iter().filter(|t| t.kind == Kind::Text);
    texts.map(|t| std::str::from_utf8(t.text).unwrap_or(""))
}

/// Whether an option changes the results of floating-point arithmetic.
fn floating(option: &str) -> bool {
    FLOATING_OPTIONS.iter().any(|part| option.contains(part))
}

#[cfg(test)]
#[path = "tamper_tests.rs"]
mod tests;
