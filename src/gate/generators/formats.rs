//! Text with a grammar: numbers, hexadecimal digits, tables, documents. Cut to the length asked for,
//! so that the end of a text may stand anywhere.
//!
//! Option `broken = p`: probability that one character is replaced by one that the format forbids
//! there: in a quarter of the broken ones the first, in a quarter the last.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::text::End;
use super::{GenError, Made};
use crate::task::prototype::CType;

/// Names of these generators with the options each takes.
pub const BUILTIN: &[(&str, &[&str])] =
    &[("hex", &["broken"]), ("decimal", &["broken"]), ("csv", &["broken"]), ("json", &["broken"])];

/// The classes of such texts.
pub const CLASSES: [&str; 2] = ["whole", "broken"];

/// `n` characters by the generator `name`. `None`: it is none of these.
pub fn fill(
    name: &str,
    options: &[(String, Vec<f64>)],
    elem: CType,
    n: u64,
    rng: &mut ChaCha8Rng,
) -> Option<Result<Made, GenError>> {
    let &(name, _) = BUILTIN.iter().find(|(known, _)| *known == name)?;
    Some(text(name, options, elem, n as usize, rng))
}

fn text(
    name: &'static str,
    options: &[(String, Vec<f64>)],
    elem: CType,
    n: usize,
    rng: &mut ChaCha8Rng,
) -> Result<Made, GenError> {
    if !matches!(elem, CType::Int(1) | CType::Uint(1)) {
        return Err(GenError::element(name, elem));
    }
    let mut broken = 0.0;
    for (key, values) in options {
        match values[..] {
            [p] if key == "broken" && (0.0..=1.0).contains(&p) => broken = p,
            _ if key == "broken" => {
                return Err(GenError::option(name, key, "takes one probability"));
            }
            _ => return Err(GenError::option(name, key, "is no option of this generator")),
        }
    }
    let broken = n > 0 && rng.random_bool(broken);
    let mut out = Vec::with_capacity(n + 64);
    while out.len() < n {
        match name {
            "hex" => out.push(HEX[rng.random_range(0..HEX.len())]),
            "decimal" => {
                number(&mut out, rng);
                out.push(b" \n\t"[rng.random_range(0..3)]);
            }
            "csv" => record(&mut out, rng),
            _ => {
                value(&mut out, 0, rng);
                out.push(b'\n');
            }
        }
    }
    out.truncate(n);
    if broken {
        // Control characters stand in none of these.
        out[End::draw(rng).place(n, rng)] = [0x00, 0x01, 0x0b, 0x7f][rng.random_range(0..4)];
    }
    Ok(Made { bytes: out, classes: vec![CLASSES[usize::from(broken)]] })
}

const HEX: &[u8; 22] = b"0123456789abcdefABCDEF";

/// An integer or a fraction, of any length up to 19 digits.
fn number(out: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    if rng.random_ratio(1, 4) {
        out.push(b'-');
    }
    let bits = rng.random_range(0..64);
    let whole: u64 = rng.random::<u64>() >> bits >> 1;
    out.extend_from_slice(whole.to_string().as_bytes());
    if rng.random_ratio(1, 3) {
        out.push(b'.');
        let digits = rng.random_range(1..10);
        out.extend((0..digits).map(|_| b'0' + rng.random_range(0..10)));
    }
}

fn word(out: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    let letters = rng.random_range(0..12);
    out.extend((0..letters).map(|_| b"abcdefghijklmnopqrstuvwxyz ,"[rng.random_range(0..28)]));
}

/// A line of RFC 4180.
fn record(out: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    for field in 0..rng.random_range(1..8) {
        if field > 0 {
            out.push(b',');
        }
        match rng.random_range(0..3) {
            0 => number(out, rng),
            1 => {
                out.push(b'"');
                word(out, rng);
                if rng.random() {
                    out.extend_from_slice(b"\"\"");
                }
                word(out, rng);
                out.push(b'"');
            }
            _ => {
                let letters = rng.random_range(0..10);
                out.extend((0..letters).map(|_| rng.random_range(b'A'..=b'Z')));
            }
        }
    }
    out.extend_from_slice(b"\r\n");
}

/// A value of RFC 8259.
fn value(out: &mut Vec<u8>, depth: u32, rng: &mut ChaCha8Rng) {
    let kinds = if depth < 6 { 6 } else { 4 };
    match rng.random_range(0..kinds) {
        0 => number(out, rng),
        1 => out.extend_from_slice([&b"true"[..], b"false", b"null"][rng.random_range(0..3)]),
        2 | 3 => string(out, rng),
        kind => {
            let (open, close) = if kind == 4 { (b'[', b']') } else { (b'{', b'}') };
            out.push(open);
            for i in 0..rng.random_range(0..5) {
                if i > 0 {
                    out.push(b',');
                }
                if kind == 5 {
                    string(out, rng);
                    out.push(b':');
                }
                value(out, depth + 1, rng);
            }
            out.push(close);
        }
    }
}

fn string(out: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    out.push(b'"');
    word(out, rng);
    if rng.random_ratio(1, 3) {
        out.extend_from_slice([&b"\\n"[..], b"\\\\", b"\\\"", b"\\u00e9"][rng.random_range(0..4)]);
        word(out, rng);
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn wrong_options_are_refused_each_with_its_reason() {
        let one = "takes one probability";
        let none = "is no option of this generator";
        for (key, values, why) in [
            ("broken", &[-0.5][..], one),
            ("broken", &[1.5], one),
            ("broken", &[0.1, 0.2], one),
            ("share", &[0.5], none),
            ("share", &[0.1, 0.2], none),
        ] {
            let options = [(key.to_owned(), values.to_vec())];
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let made = fill("csv", &options, CType::Uint(1), 20, &mut rng).unwrap();
            assert_eq!(made, Err(GenError::option("csv", key, why)), "{values:?}");
        }
    }
}
