//! What a source in Rust says that no list of the compiler tells of.
//!
//! The words are looked for where they mean something: outside of comments and literals. A macro
//! can hide what it does with a word, but not the word: nothing in the language joins parts of one.

use crate::task::files::Files;

/// Words that are refused wherever they stand, and why.
const WORDS: [(&str, &str); 7] = [
    ("asm", ASSEMBLY),
    ("global_asm", ASSEMBLY),
    ("naked_asm", ASSEMBLY),
    ("include", "`include!` compiles a file as if it stood here; make it a module"),
    ("link_args", FOREIGN),
    ("no_core", "a library is built with the standard library of its toolchain"),
    ("rustc_private", "a library is built with the standard library of its toolchain"),
];

/// Words that are refused in front of a parenthesis within an attribute, and why.
const ATTRIBUTES: [(&str, &str); 2] =
    [("feature", "a library is written in the stable language"), ("link", FOREIGN)];

const ASSEMBLY: &str = "assembly can read files that no list tells of; the intrinsics of std::arch are there for \
     instructions";
const FOREIGN: &str = "other libraries cannot be linked";

/// Why the files that `tree` has and `pristine` has not, or otherwise, are refused; if they are.
pub(in crate::build) fn refusal(tree: &Files, pristine: &Files) -> Option<String> {
    let changed = tree.0.iter().filter(|(name, bytes)| pristine.0.get(*name) != Some(bytes));
    // A module may be in a file of any name, but only in one that is text.
    let texts = changed.filter_map(|(name, bytes)| Some((name, std::str::from_utf8(bytes).ok()?)));
    let mut found = texts.filter_map(|(name, text)| {
        let (line, word, why) = first(text)?;
        Some(format!("{name}:{line}: `{word}`: {why}"))
    });
    found.next()
}

/// The first refused word: its line, itself, and why.
fn first(text: &str) -> Option<(usize, &'static str, &'static str)> {
    let tokens = tokens(text);
    let mut depths = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let before = |back: usize| at.checked_sub(back).map_or("", |at| tokens[at].text);
        match token.text {
            // `#[…]` and `#![…]`; what is nested in one is part of it.
            "[" => depths.push(
                before(1) == "#"
                    || (before(1) == "!" && before(2) == "#")
                    || depths.last().copied().unwrap_or(false),
            ),
            "]" => drop(depths.pop()),
            word => {
                if let Some((word, why)) = WORDS.iter().find(|(known, _)| *known == word) {
                    return Some((token.line, word, why));
                }
                let called = tokens.get(at + 1).is_some_and(|next| next.text == "(");
                let within = depths.last().copied().unwrap_or(false);
                let known = ATTRIBUTES.iter().find(|(known, _)| *known == word);
                if let Some((word, why)) = known.filter(|_| called && within) {
                    return Some((token.line, word, why));
                }
            }
        }
    }
    None
}

/// A word or a mark.
struct Token<'a> {
    text: &'a str,
    line: usize,
}

/// Words and marks of a text; comments, literals and lifetimes are left out.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut all = Vec::new();
    let mut rest = text;
    let mut line = 1;
    while let Some(next) = rest.chars().next() {
        let length = match next {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => comment(rest),
            '"' => string(rest),
            '\'' => character(rest),
            _ if is_word(next) => {
                let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                match prefixed(rest, &rest[..length]) {
                    Some(literal) => literal,
                    None => {
                        all.push(Token { text: &rest[..length], line });
                        length
                    }
                }
            }
            _ if next.is_whitespace() => next.len_utf8(),
            _ => {
                let length = next.len_utf8();
                all.push(Token { text: &rest[..length], line });
                length
            }
        };
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    all
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Length of a comment, those within it included; of all the rest where it does not end.
fn comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        at += match rest {
            _ if rest.starts_with("/*") => {
                depth += 1;
                2
            }
            _ if rest.starts_with("*/") => {
                depth -= 1;
                2
            }
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// Length of a literal in double quotes.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Length of a literal in single quotes, or of a lifetime.
fn character(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => {
            chars.next();
            chars.find(|(_, c)| *c == '\'').map_or(text.len(), |(at, _)| at + 1)
        }
        Some((_, first)) => match chars.next() {
            Some((at, '\'')) => at + 1,
            // Only the quote: the name behind it is no word that means something by itself, but
            // one that is looked at does no harm.
            _ if is_word(first) => {
                let name = &text[1..];
                1 + name.find(|c| !is_word(c)).unwrap_or(name.len())
            }
            _ => 1,
        },
        None => 1,
    }
}

/// Length of the literal that begins with a word: `b"…"`, `c"…"`, `r#"…"#`, `b'…'`. None where
/// there is none, such as at `r#name`.
fn prefixed(text: &str, word: &str) -> Option<usize> {
    let rest = &text[word.len()..];
    match word {
        "b" if rest.starts_with('\'') => Some(word.len() + character(rest)),
        "b" | "c" if rest.starts_with('"') => Some(word.len() + string(rest)),
        "r" | "br" | "cr" => {
            let marks = rest.len() - rest.trim_start_matches('#').len();
            rest[marks..].strip_prefix('"')?;
            let end = format!("\"{}", &rest[..marks]);
            let begin = marks + 1;
            let length = rest[begin..].find(&end).map_or(rest.len(), |at| begin + at + end.len());
            Some(word.len() + length)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<(usize, &'static str)> {
        first(text).map(|(line, word, _)| (line, word))
    }

    #[test]
    fn words_count_where_they_mean_something() {
        for (text, line, word) in [
            ("use core::arch::asm;", 1, "asm"),
            ("macro_rules! m { ($x:ident) => { $x!(\"f\") } }\nm!(include);", 2, "include"),
            ("r#global_asm!(\".incbin\");", 1, "global_asm"),
            ("/* a /* b */ c */\n#![feature(x)]", 2, "feature"),
            ("#![cfg_attr(all(), feature(x))]", 1, "feature"),
            ("# ! [ feature ( x ) ]", 1, "feature"),
            ("#[link(name = \"z\")] extern \"C\" {}", 1, "link"),
            ("let c = '\"'; asm!(\"\")", 1, "asm"),
            ("let c = b'\\''; asm!(\"\")", 1, "asm"),
            ("let s = r#\"\"\"#; asm!(\"\")", 1, "asm"),
            ("fn f<'a>(x: &'a u8) { asm!(\"\") }", 1, "asm"),
        ] {
            assert_eq!(found(text), Some((line, word)), "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_it_is_fine() {
        for text in [
            "// asm!\n/* include!(\"x\") /* feature( */ */",
            "let s = \"asm \\\" asm\"; let t = r##\"asm \"# asm\"##; let u = b\"asm\";",
            "#[cfg(feature = \"x\")] fn feature(x: u8) -> u8 { feature(x) }",
            "#[target_feature(enable = \"avx2\")] #[link_section = \".text.x\"] fn f() {}",
            "fn link(x: u8) {} const T: &[u8] = include_bytes!(\"table\"); struct Asm;",
            "let c = '\\'', d = 'a', e = '\\u{1F600}'; 'asm: loop { break 'asm }",
            "/* never ends asm",
            "\"never ends asm",
            "r#\"never ends asm\"",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn only_changed_text_is_looked_at() {
        let files = |text: &[u8]| Files([("a.rs".to_owned(), text.to_vec())].into());
        assert_eq!(refusal(&files(b"asm!()"), &files(b"asm!()")), None);
        assert_eq!(refusal(&files(b"\xffasm"), &files(b"")), None);
        let why = refusal(&files(b"\nasm!()"), &files(b"")).expect("refused");
        assert!(why.starts_with("a.rs:2: `asm`"), "{why}");
    }
}
