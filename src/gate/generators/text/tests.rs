//! Valid text is valid and broken text is not, by readers that share nothing with the generators.

use std::collections::BTreeSet;

use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{BUILTIN, chars, fill};
use crate::task::prototype::CType;

const NAMES: [&str; 12] = [
    "utf8",
    "utf16le",
    "utf16be",
    "utf32",
    "ascii",
    "latin1",
    "latin1_utf8",
    "latin1_utf16le",
    "latin1_utf16be",
    "latin1_utf32",
    "base64",
    "base64url",
];

fn elem(name: &str) -> CType {
    match name {
        _ if name.contains("utf16") => CType::Uint(2),
        "utf32" | "latin1_utf32" => CType::Uint(4),
        _ => CType::Uint(1),
    }
}

fn make(name: &str, options: &[(&str, &[f64])], n: u64, seed: u64) -> Vec<u8> {
    let options: Vec<_> = options.iter().map(|(k, v)| (k.to_string(), v.to_vec())).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let made = fill(name, &options, elem(name), n, &mut rng).expect("a text generator");
    let bytes = made.map(|made| made.bytes);
    bytes.expect("options are right")
}

fn units16(bytes: &[u8], read: fn([u8; 2]) -> u16) -> Vec<u16> {
    bytes.chunks_exact(2).map(|b| read([b[0], b[1]])).collect()
}

fn units32(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// The WHATWG's "forgiving-base64 decode", as far as acceptance goes.
fn forgiving(units: &[u16], others: [u8; 2]) -> bool {
    let mut text: Vec<u16> =
        units.iter().copied().filter(|u| ![0x20, 9, 10, 12, 13].contains(u)).collect();
    if text.len().is_multiple_of(4) {
        for _ in 0..2 {
            text.pop_if(|u| *u == 0x3d);
        }
    }
    let symbol =
        |u: &u16| u8::try_from(*u).is_ok_and(|b| b.is_ascii_alphanumeric() || others.contains(&b));
    text.len() % 4 != 1 && text.iter().all(symbol)
}

fn valid(name: &str, bytes: &[u8]) -> bool {
    match name {
        "utf8" => std::str::from_utf8(bytes).is_ok(),
        "utf16le" => {
            char::decode_utf16(units16(bytes, u16::from_le_bytes)).all(|c: Result<_, _>| c.is_ok())
        }
        "utf16be" => {
            char::decode_utf16(units16(bytes, u16::from_be_bytes)).all(|c: Result<_, _>| c.is_ok())
        }
        "utf32" => units32(bytes).into_iter().all(|u| char::from_u32(u).is_some()),
        "ascii" => bytes.is_ascii(),
        "latin1" => true,
        "latin1_utf8" => std::str::from_utf8(bytes).is_ok_and(|s| s.chars().all(|c| c <= '\u{ff}')),
        "latin1_utf16le" => units16(bytes, u16::from_le_bytes).into_iter().all(|u| u <= 0xff),
        "latin1_utf16be" => units16(bytes, u16::from_be_bytes).into_iter().all(|u| u <= 0xff),
        "latin1_utf32" => units32(bytes).into_iter().all(|u| u <= 0xff),
        _ => {
            let units: Vec<u16> = bytes.iter().map(|&b| b.into()).collect();
            forgiving(&units, if name == "base64" { *b"+/" } else { *b"-_" })
        }
    }
}

fn allows(name: &str, option: &str) -> bool {
    BUILTIN.iter().any(|(n, options)| *n == name && options.contains(&option))
}

#[test]
fn the_table_lists_every_generator() {
    assert_eq!(BUILTIN.iter().map(|(name, _)| *name).collect::<Vec<_>>(), NAMES);
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    assert!(fill("image", &[], CType::Uint(1), 4, &mut rng).is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn texts_have_their_length_and_are_valid_unless_broken(
        name in prop::sample::select(&NAMES[..]),
        n in 0u64..200,
        seed: u64,
        weights in prop::array::uniform4(0u8..4),
        run in 1.0..50.0f64,
        space in 0.0..1.0f64,
        broken: bool,
    ) {
        let mix = weights.map(f64::from);
        let mix = if name.starts_with("latin1") { &mix[..2] } else { &mix[..] };
        prop_assume!(mix.iter().sum::<f64>() > 0.0);
        let all: [(&str, &[f64]); 4] =
            [("mix", mix), ("runs", &[1.0, run]), ("space", &[space]), ("broken", &[f64::from(u8::from(broken))])];
        let options: Vec<_> = all.into_iter().filter(|(o, _)| allows(name, o)).collect();
        let bytes = make(name, &options, n, seed);
        prop_assert_eq!(bytes.len() as u64, n * elem(name).size());
        let expected = !broken || n == 0 || !allows(name, "broken");
        prop_assert_eq!(valid(name, &bytes), expected, "{:x?}", bytes);
        prop_assert_eq!(make(name, &options, n, seed), bytes, "same seed, same text");
    }

    #[test]
    fn wide_base64_reads_the_same_way(n in 0u64..100, seed: u64, space in 0.0..1.0f64, broken: bool) {
        let options =
            [("space".into(), vec![space]), ("broken".into(), vec![f64::from(u8::from(broken))])];
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let bytes =
            fill("base64", &options, CType::Uint(2), n, &mut rng).unwrap().unwrap().bytes;
        prop_assert_eq!(bytes.len() as u64, n * 2);
        prop_assert_eq!(forgiving(&units16(&bytes, u16::from_le_bytes), *b"+/"), !broken || n == 0);
    }
}

/// The kind of the first error, told from the bytes at its place alone.
fn utf8_error(bytes: &[u8]) -> &'static str {
    let Err(error) = std::str::from_utf8(bytes) else { return "none" };
    let at = &bytes[error.valid_up_to()..];
    let second = at.get(1).copied().unwrap_or(0);
    match (at[0], second) {
        _ if error.error_len().is_none() => "truncated at the end",
        (0x80..=0xbf, _) => "stray continuation",
        (0xc0..=0xc1, _) | (0xe0, 0x80..=0x9f) | (0xf0, 0x80..=0x8f) => "overlong",
        (0xed, 0xa0..=0xbf) => "surrogate",
        (0xf4, 0x90..=0xbf) | (0xf5..=0xf7, _) => "too large",
        (0xf8..=0xff, _) => "five bytes",
        _ => "truncated in the middle",
    }
}

#[test]
fn every_kind_of_utf8_error_occurs() {
    for name in ["utf8", "latin1_utf8"] {
        let kinds: BTreeSet<_> = (0..500)
            .map(|seed| utf8_error(&make(name, &[("broken", &[1.0])], 40, seed)))
            .filter(|kind| *kind != "none")
            .collect();
        let expected = [
            "five bytes",
            "overlong",
            "stray continuation",
            "surrogate",
            "too large",
            "truncated at the end",
            "truncated in the middle",
        ];
        assert_eq!(kinds, BTreeSet::from(expected), "{name}");
    }
}

#[test]
fn latin1_texts_are_also_broken_by_characters_above_it() {
    for (name, wide) in [
        ("latin1_utf8", "utf8"),
        ("latin1_utf16le", "utf16le"),
        ("latin1_utf16be", "utf16be"),
        ("latin1_utf32", "utf32"),
    ] {
        let texts = (0..100).map(|seed| make(name, &[("broken", &[1.0])], 40, seed));
        let (above, malformed): (Vec<_>, Vec<_>) = texts.partition(|bytes| valid(wide, bytes));
        assert!(above.len() > 10 && malformed.len() > 10, "{name}");
    }
}

/// Units before the first that is no part of a valid text's beginning, and units behind the last
/// that is none of its end.
fn bounds(name: &str, bytes: &[u8]) -> (usize, usize) {
    let size = elem(name).size() as usize;
    let n = bytes.len() / size;
    let first = (0..n).rev().find(|i| valid(name, &bytes[..i * size])).unwrap_or(0);
    let rest = (0..n).rev().find(|i| valid(name, &bytes[(n - i) * size..])).unwrap_or(0);
    (first, rest)
}

/// Where code has a beginning and a rest of its own, an error must not be luck.
#[test]
fn a_quarter_of_the_errors_begins_a_text_and_a_quarter_ends_it() {
    const TEXTS: usize = 2000;
    for name in ["utf8", "utf16le", "utf16be", "utf32", "ascii", "latin1_utf8", "latin1_utf16le"] {
        let (mut begins, mut ends) = (0, 0);
        for seed in 0..TEXTS as u64 {
            // ASCII around it: nothing but the error itself can be taken for a part of it.
            let options: &[(&str, &[f64])] = match name {
                "ascii" => &[("broken", &[1.0])],
                _ => &[("broken", &[1.0]), ("mix", &[1.0])],
            };
            let (first, rest) = bounds(name, &make(name, options, 200, seed));
            begins += usize::from(first == 0);
            ends += usize::from(rest == 0);
        }
        let quarter = TEXTS / 4;
        assert!((quarter * 9 / 10..quarter * 3 / 2).contains(&begins), "{name}: {begins} begin");
        assert!((quarter * 9 / 10..quarter * 9 / 5).contains(&ends), "{name}: {ends} end");
    }
}

#[test]
fn every_kind_of_utf16_and_utf32_error_occurs() {
    let mut kinds = BTreeSet::new();
    for seed in 0..500 {
        let units = units16(&make("utf16be", &[("broken", &[1.0])], 20, seed), u16::from_be_bytes);
        let lone = |c: &Result<char, _>| c.is_err();
        let read: Vec<_> = char::decode_utf16(units).collect();
        let at = read.iter().position(lone).expect("broken");
        let unit = |i: usize| match read.get(i) {
            Some(Err(error)) if error.unpaired_surrogate() < 0xdc00 => "high",
            Some(Err(_)) => "low",
            Some(Ok(_)) => "character",
            None => "end",
        };
        kinds.insert((unit(at), unit(at + 1)));
    }
    for kind in [("high", "character"), ("low", "character"), ("low", "high"), ("high", "end")] {
        assert!(kinds.contains(&kind), "{kind:?} in {kinds:?}");
    }

    let bad: Vec<u32> = (0..500)
        .flat_map(|seed| units32(&make("utf32", &[("broken", &[1.0])], 8, seed)))
        .filter(|u| char::from_u32(*u).is_none())
        .collect();
    for expected in [0xd800, 0xdfff, 0x11_0000, u32::MAX] {
        assert!(bad.contains(&expected));
    }
}

#[test]
fn every_kind_of_base64_error_occurs() {
    let mut kinds = BTreeSet::new();
    for seed in 0..300 {
        let text: Vec<u8> = make("base64", &[("broken", &[1.0]), ("space", &[0.2])], 24, seed)
            .into_iter()
            .filter(|b| !b.is_ascii_whitespace())
            .collect();
        let symbols = text.iter().rposition(|b| *b != b'=').map_or(0, |last| last + 1);
        let foreign = |b: &u8| !b.is_ascii_alphanumeric() && !b"+/=".contains(b);
        kinds.insert(match &text[..symbols] {
            text if text.iter().any(foreign) => "character",
            text if text.contains(&b'=') => "padding",
            _ => "leftover",
        });
    }
    assert_eq!(kinds, BTreeSet::from(["character", "leftover", "padding"]));
}

#[test]
fn mix_and_runs_shape_a_text() {
    let text = |mix: &[f64], runs: &[f64]| {
        let bytes = make("utf8", &[("mix", mix), ("runs", runs)], 60_000, 7);
        String::from_utf8(bytes).expect("valid").chars().map(char::len_utf8).collect::<Vec<_>>()
    };
    let changes = |lengths: &[usize]| lengths.windows(2).filter(|w| w[0] != w[1]).count();

    let single = text(&[1.0, 1.0, 1.0, 1.0], &[1.0]);
    for length in 1..=4 {
        let share = single.iter().filter(|l| **l == length).count() as f64 / single.len() as f64;
        assert!((share - 0.25).abs() < 0.03, "length {length} has a share of {share}");
    }
    let long = text(&[1.0, 1.0, 1.0, 1.0], &[20.0]);
    assert!(changes(&long) * 10 < changes(&single));
    assert!(text(&[0.0, 0.0, 1.0], &[1.0]).iter().all(|l| *l == 3));
}

#[test]
fn wrong_options_and_elements_are_refused() {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut refused = |name: &str, option: Option<(&str, &[f64])>, elem| {
        let options: Vec<_> = option.iter().map(|(k, v)| (k.to_string(), v.to_vec())).collect();
        fill(name, &options, elem, 8, &mut rng).expect("a text generator").is_err()
    };
    let byte = CType::Uint(1);
    assert!(refused("utf8", Some(("space", &[0.1])), byte));
    assert!(refused("utf8", Some(("mix", &[])), byte));
    assert!(refused("utf8", Some(("mix", &[-1.0, 2.0])), byte));
    assert!(refused("latin1", Some(("mix", &[1.0, 1.0, 1.0])), byte));
    assert!(refused("utf8", Some(("runs", &[0.5])), byte));
    assert!(refused("utf8", Some(("runs", &[8.0, 2.0])), byte));
    assert!(refused("utf8", Some(("broken", &[1.5])), byte));
    assert!(refused("utf8", Some(("broken", &[0.1, 0.2])), byte));
    assert!(refused("utf8", None, CType::Uint(2)));
    assert!(refused("utf32", None, CType::Uint(2)));
    assert!(!refused("base64", None, CType::Uint(2)));
}

/// Both sides of the surrogates are as likely as they are large, and edges come up often.
#[test]
fn characters_are_even_but_for_the_edges() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    const DRAWS: usize = 64_000;
    let drawn: Vec<char> =
        (0..DRAWS).map(|_| chars::within('\u{800}', '\u{ffff}', &mut rng)).collect();
    assert!(drawn.iter().all(|c| ('\u{800}'..='\u{ffff}').contains(c)));
    for edge in ['\u{800}', '\u{ffff}', '\u{d7ff}', '\u{e000}'] {
        let count = drawn.iter().filter(|c| **c == edge).count();
        assert!((DRAWS / 80..DRAWS / 50).contains(&count), "{edge:?}: {count}");
    }
    let inner =
        drawn.iter().filter(|c| !['\u{800}', '\u{ffff}', '\u{d7ff}', '\u{e000}'].contains(c));
    let above = inner.clone().filter(|c| **c >= '\u{e000}').count() as f64 / inner.count() as f64;
    let share = f64::from(0x2000) / f64::from(0xf800 - 0x800);
    assert!((above - share).abs() < 0.01, "{above}, {share}");
}
