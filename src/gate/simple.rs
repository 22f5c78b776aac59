//! The simplest content that a buffer may have under its contract.

use crate::task::Fill;
use crate::task::prototype::CType;

/// The simplest element that `fill` may make: nothing, or the nearest to it; a letter in texts. `None`
/// where elements can't be replaced one by one.
pub fn element(fill: &Fill, elem: CType) -> Option<Vec<u8>> {
    let size = elem.size() as usize;
    let integer = |value: i64| (size > 0).then(|| value.to_le_bytes()[..size.min(8)].to_vec());
    match fill {
        Fill::Bytes => integer(0),
        Fill::Int { lo, hi } => integer(0.clamp(*lo, (*hi).max(*lo))),
        Fill::Float { lo, hi, .. } => {
            let nearest = 0f64.clamp(*lo, hi.max(*lo));
            match size {
                4 => Some((nearest as f32).to_le_bytes().to_vec()),
                8 => Some(nearest.to_le_bytes().to_vec()),
                _ => None,
            }
        }
        Fill::Gen { name, .. } => match name.as_str() {
            "image" => integer(0),
            "utf8" | "ascii" | "latin1" | "latin1_utf8" => integer(i64::from(b'a')),
            "utf16le" | "latin1_utf16le" | "utf32" | "latin1_utf32" => integer(i64::from(b'a')),
            "utf16be" | "latin1_utf16be" => integer(i64::from(u16::from(b'a').swap_bytes())),
            // Zero bits.
            "base64" | "base64url" => integer(i64::from(b'A')),
            "hex" => integer(i64::from(b'0')),
            // A zero may not lead.
            "decimal" => integer(i64::from(b'1')),
            "csv" => integer(i64::from(b'A')),
            // Between what it is made of there may be any number.
            "json" => integer(i64::from(b' ')),
            _ => None,
        },
        Fill::Twins(base) => element(base, elem),
        // What is simple to one of them may be none of another's.
        Fill::Any(_) => None,
        // Bound to another buffer, or known to the task alone.
        Fill::Beside { .. } | Fill::Own(_) => None,
    }
}

/// Whether `fill` may make this content, where it may make what it was before some elements were
/// replaced by simple ones: a text that was whole must stay so, unless broken ones are asked for.
pub fn allowed(fill: &Fill, elem: CType, content: &[u8]) -> bool {
    let Fill::Gen { name, options } = fill else { return true };
    let broken = options.iter().any(|(option, values)| {
        option == "broken" && values.first().is_some_and(|probability| *probability > 0.0)
    });
    let units = |unit: fn([u8; 2]) -> u16| {
        content.as_chunks::<2>().0.iter().map(|pair| unit(*pair)).collect::<Vec<u16>>()
    };
    broken
        || match name.as_str() {
            "utf8" | "latin1_utf8" => std::str::from_utf8(content).is_ok(),
            "utf16le" | "latin1_utf16le" => String::from_utf16(&units(u16::from_le_bytes)).is_ok(),
            "utf16be" | "latin1_utf16be" => String::from_utf16(&units(u16::from_be_bytes)).is_ok(),
            "base64" | "base64url" if elem.size() == 2 => base64(units(u16::from_le_bytes)),
            "base64" | "base64url" => base64(content.iter().map(|b| u16::from(*b)).collect()),
            "decimal" => decimal(content),
            "csv" => csv(content),
            "json" => json(content),
            _ => true,
        }
}

/// Base64 with white space, of which no symbol is left over. Symbols that were there are right, and
/// so is the one that was put in their place; padding ends a whole text.
fn base64(units: Vec<u16>) -> bool {
    let is = |unit: u16, what: &[u8]| u8::try_from(unit).is_ok_and(|b| what.contains(&b));
    let text: Vec<u16> = units.into_iter().filter(|u| !is(*u, b" \t\n\x0c\r")).collect();
    let symbols = text.iter().position(|u| is(*u, b"=")).unwrap_or(text.len());
    let padding = &text[symbols..];
    let ends = padding.is_empty() || (padding.len() <= 2 && text.len().is_multiple_of(4));
    let unused: &[u8] = match symbols % 4 {
        // Bits of the last symbol that stand for nothing are zero.
        2 => b"AQgw",
        3 => b"AEIMQUYcgkosw048",
        _ => return symbols % 4 == 0 && ends && padding.is_empty(),
    };
    ends && padding.iter().all(|u| is(*u, b"=")) && is(text[symbols - 1], unused)
}

/// Numbers as `formats` makes them, the last one cut short.
fn decimal(text: &[u8]) -> bool {
    let mut tokens: Vec<&[u8]> = text.split(u8::is_ascii_whitespace).collect();
    let last = tokens.pop().unwrap_or_default();
    let digits = |all: &[u8], most: usize| {
        (1..=most).contains(&all.len()) && all.iter().all(u8::is_ascii_digit)
    };
    let number = |token: &[u8]| {
        let token = token.strip_prefix(b"-").unwrap_or(token);
        let (whole, fraction) = match token.iter().position(|b| *b == b'.') {
            Some(at) => (&token[..at], Some(&token[at + 1..])),
            None => (token, None),
        };
        digits(whole, 19)
            && (whole.len() == 1 || whole[0] != b'0')
            && fraction.is_none_or(|fraction| digits(fraction, 9))
    };
    let cut = [&b""[..], b"0", b"1"].iter().any(|more| number(&[last, more].concat()));
    tokens.into_iter().all(number) && (cut || last.is_empty())
}

/// Lines of RFC 4180, the last one cut short.
fn csv(text: &[u8]) -> bool {
    let mut at = 0;
    while at < text.len() {
        if text[at] == b'"' {
            // A quoted field ends with a quote that is no first of two.
            at += 1;
            loop {
                match text[at..].iter().position(|b| *b == b'"') {
                    None => return true,
                    Some(to) if text.get(at + to + 1) == Some(&b'"') => at += to + 2,
                    Some(to) => break at += to + 1,
                }
            }
        } else {
            let plain = |b: &&u8| !b",\r\n\"".contains(b);
            at += text[at..].iter().take_while(plain).count();
        }
        match &text[at..] {
            [] | [b'\r'] => return true,
            [b',', ..] => at += 1,
            [b'\r', b'\n', ..] => at += 2,
            _ => return false,
        }
    }
    true
}

/// A value of RFC 8259 a line, the last one cut short.
fn json(text: &[u8]) -> bool {
    let mut lines: Vec<&[u8]> = text.split(|b| *b == b'\n').collect();
    let last = lines.pop().unwrap_or_default();
    let read = |line: &[u8]| serde_json::from_slice::<serde::de::IgnoredAny>(line);
    // Cut off in the middle of a number, it may end in what no number ends in.
    let begins = |line: &[u8]| read(line).map_or_else(|error| error.is_eof(), |_| true);
    let cut = begins(last) || begins(&[last, b"1"].concat());
    lines.into_iter().all(|line| read(line).is_ok()) && cut
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str, broken: f64) -> Fill {
        Fill::Gen { name: name.into(), options: vec![("broken".into(), vec![broken])] }
    }

    #[test]
    fn the_simplest_element_lies_in_the_range() {
        let int = |lo, hi| element(&Fill::Int { lo, hi }, CType::Int(2)).unwrap();
        assert_eq!(int(-5, 5), [0, 0]);
        assert_eq!(int(47, 57), [47, 0]);
        assert_eq!(int(-9, -2), [0xFE, 0xFF]);
        let float = Fill::Float { lo: 1.5, hi: 2.0, special: 0.0 };
        assert_eq!(element(&float, CType::F32).unwrap(), 1.5f32.to_le_bytes());
        assert_eq!(element(&float, CType::F64).unwrap(), 1.5f64.to_le_bytes());
        assert_eq!(element(&Fill::Bytes, CType::Uint(8)).unwrap(), [0; 8]);
        assert_eq!(element(&Fill::Bytes, CType::Void), None, "not an element of no bytes");
        assert_eq!(element(&text("utf16be", 0.0), CType::Uint(2)).unwrap(), [0, b'a']);
        assert_eq!(element(&text("base64", 0.0), CType::Uint(2)).unwrap(), [b'A', 0]);
        assert_eq!(element(&text("no such", 0.0), CType::Uint(1)), None);
    }

    #[test]
    fn whole_texts_stay_whole() {
        let byte = CType::Uint(1);
        let word = CType::Uint(2);
        assert!(allowed(&text("utf8", 0.0), byte, "aé".as_bytes()));
        assert!(!allowed(&text("utf8", 0.0), byte, b"a\xA9"));
        assert!(allowed(&text("utf8", 0.1), byte, b"a\xA9"));
        assert!(!allowed(&text("utf16le", 0.0), word, &[0x00, 0xD8, b'a', 0]));
        assert!(allowed(&text("utf16be", 0.0), word, &[0xD8, 0x00, 0xDC, 0x00]));
        assert!(allowed(&Fill::Bytes, byte, b"\xFF"));
    }

    #[test]
    fn a_text_of_simplest_elements_alone_is_allowed() {
        for (name, bytes, simplest) in [
            ("image", 1, "\0"),
            ("utf8", 1, "a"),
            ("latin1_utf8", 1, "a"),
            ("utf16le", 2, "a\0"),
            ("utf32", 4, "a\0\0\0"),
            ("base64url", 1, "A"),
            ("hex", 1, "0"),
            ("decimal", 1, "1"),
            ("csv", 1, "A"),
            ("json", 1, " "),
        ] {
            let (fill, elem) = (text(name, 0.0), CType::Uint(bytes));
            let found = element(&fill, elem).unwrap();
            assert_eq!(found, simplest.as_bytes(), "{name}");
            assert!(allowed(&fill, elem, &found.repeat(8)), "{name}");
        }
    }

    #[test]
    fn units_of_two_bytes_are_read_as_such() {
        let word = CType::Uint(2);
        let big = |content: &[u8]| allowed(&text("utf16be", 0.0), word, content);
        assert!(!big(&[0xD8, 0x00, 0x00, b'a']), "a surrogate alone");
        assert!(big(&[0x00, 0xD8, 0x00, b'a']));
        let base64 = |symbols: &str| {
            let content: Vec<u8> = symbols.bytes().flat_map(|b| [b, 0]).collect();
            allowed(&text("base64", 0.0), word, &content)
        };
        assert!(base64("AA==") && !base64("A==="));
    }

    #[test]
    fn formats_keep_their_grammar() {
        let says = |name: &str, yes: &[&str], no: &[&str]| {
            let fill = text(name, 0.0);
            let whole = |t: &&str| allowed(&fill, CType::Uint(1), t.as_bytes());
            assert_eq!(yes.iter().find(|t| !whole(t)), None, "{name}");
            assert_eq!(no.iter().find(|t| whole(t)), None, "{name}");
        };
        says(
            "base64",
            &["", "AAAA", "AA ==", "AA", "AAA", "ab+/\nAQ=\t=", "AAA="],
            &["A", "AAAAA", "AB", "AAB", "AA=A", "AAAA==", "=", "AA===", "A===", "AA=", "AA======"],
        );
        says(
            "decimal",
            &["", "1 -1.5\n0", "11 -", "1.", "-1.25 ", "0.1 1"],
            &["01 1", "1--1 ", "1.1.1 ", "11111111111111111111 ", "1..", "1.1111111111 "],
        );
        says(
            "csv",
            &["", "A,\"b\"\"c\"\r\n", "A\r", "A,,\r\n\"A,", "\"\"", "AAA"],
            &["A\"b", "\"a\"b", "A\nB", "A\rB", "AA,\"b\"\"c\"d", "AAA\r\nA\"b"],
        );
        says(
            "json",
            &["", "[1, 2]\n", "{  }\n\"a", "[true,", "tru", "[-", "1.", "[ ]\n "],
            &["\n", "[ ,2]\n", "1 2\n", "[1 2", "{1}"],
        );
    }

    /// What was simplified may be refused, what was made may not.
    #[test]
    fn what_generators_make_is_allowed() {
        use crate::gate::generators::{formats, text as texts};
        use rand::SeedableRng;
        for seed in 0..2000u64 {
            let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
            for name in ["base64", "base64url", "decimal", "csv", "json", "latin1_utf8"] {
                let byte = CType::Uint(1);
                let (options, n) = ([], seed % 97);
                let made = texts::fill(name, &options, byte, n, &mut rng)
                    .or_else(|| formats::fill(name, &options, byte, n, &mut rng))
                    .expect("a generator")
                    .expect("no options");
                let shown = String::from_utf8_lossy(&made.bytes);
                assert!(allowed(&text(name, 0.0), byte, &made.bytes), "{name}: {shown:?}");
            }
        }
    }
}
