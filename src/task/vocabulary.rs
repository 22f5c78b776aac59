//! The words a manifest may use that stand for code elsewhere.

use super::prototype::CType;

/// Built-in generators with the options that each takes. `gate::generators` makes their bytes; a
/// test there holds the two lists together.
pub const GENERATORS: &[(&str, &[&str])] = &[
    ("image", &[]),
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
    ("zeros", &[]),
    ("ones", &[]),
    ("edges", &["within", "share"]),
    ("ramp", &["within"]),
    ("sparse", &["within", "density"]),
    ("sorted", &["within"]),
    ("runs", &["within", "length"]),
    ("mask", &["density"]),
    ("hex", &["broken"]),
    ("decimal", &["broken"]),
    ("csv", &["broken"]),
    ("json", &["broken"]),
    ("floats", &["exponents", "nan", "infinity", "subnormal", "zero"]),
];

/// The options of a built-in generator.
pub fn generator(name: &str) -> Option<&'static [&'static str]> {
    GENERATORS.iter().find(|(n, _)| *n == name).map(|(_, options)| *options)
}

/// Whether a built-in generator makes elements of a type.
pub fn makes(name: &str, elem: CType) -> bool {
    match (name, elem) {
        ("image", elem) => matches!(elem, CType::Uint(1 | 2)),
        (
            "utf16le" | "utf16be" | "latin1_utf16le" | "latin1_utf16be",
            CType::Int(2) | CType::Uint(2),
        ) => true,
        ("utf32" | "latin1_utf32", CType::Int(4) | CType::Uint(4)) => true,
        ("base64" | "base64url", CType::Int(1 | 2) | CType::Uint(1 | 2)) => true,
        ("utf8" | "ascii" | "latin1" | "latin1_utf8", CType::Int(1) | CType::Uint(1)) => true,
        ("hex" | "decimal" | "csv" | "json", CType::Int(1) | CType::Uint(1)) => true,
        ("zeros" | "ramp" | "sparse" | "sorted" | "runs", elem) => elem != CType::Void,
        ("ones" | "edges" | "mask", elem) => elem.range().is_some(),
        ("floats", elem) => elem.is_float(),
        _ => false,
    }
}

/// The closest of some words, when it is close enough to be meant.
pub fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|k| (strsim::damerau_levenshtein(word, k), k))
        .filter(|(distance, k)| {
            let longer = k.len().max(word.len());
            *distance <= (longer / 2).min(1 + longer / 4)
        })
        .min()
        .map(|(_, k)| k)
}

/// "did you mean", or else everything there is.
pub fn suggest<'a>(word: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match closest(word, known.clone()) {
        Some(k) => format!("did you mean `{k}`?"),
        None => {
            let all: Vec<String> = known.into_iter().map(|k| format!("`{k}`")).collect();
            match all.is_empty() {
                true => "there is nothing of that kind yet".into(),
                false => format!("known here: {}", all.join(", ")),
            }
        }
    }
}
