//! Two outputs side by side, where they first differ.

use std::fmt::Write;

use super::record::Difference;

/// Bytes a line.
const WIDTH: usize = 16;

/// Lines of both sides; lines that differ are marked, and the first differing byte is pointed at.
pub fn render(d: &Difference) -> String {
    let mut out = String::new();
    // Writing to a string can't fail.
    let _ = write_dump(&mut out, d);
    out
}

fn write_dump(out: &mut String, d: &Difference) -> std::fmt::Result {
    write!(out, "  `{}` differs first at byte {} ({:#x})", d.place, d.offset, d.offset)?;
    if let Some(e) = &d.element {
        let row = e.row.map_or(String::new(), |y| format!("row {y}, "));
        write!(out, ", {row}element {}: {} instead of {}", e.index, e.actual, e.expected)?;
        if let Some(ulps) = e.ulps {
            write!(out, " ({ulps} ulp)")?;
        }
    }
    writeln!(out, ":")?;
    let (expected, actual) = (bytes(&d.expected), bytes(&d.actual));
    let mut pointed = false;
    for line in 0..expected.len().max(actual.len()).div_ceil(WIDTH) {
        let from = line * WIDTH;
        let (e, a) = (part(&expected, from), part(&actual, from));
        let at = d.start.saturating_add(from as u64);
        if e == a {
            writeln!(out, "    {at:08x}  {}", row(e))?;
            continue;
        }
        writeln!(out, "  - {at:08x}  {}  reference", row(e))?;
        writeln!(out, "  + {at:08x}  {}  candidate", row(a))?;
        let column = d.offset.wrapping_sub(at);
        if !pointed && column < WIDTH as u64 {
            writeln!(out, "{}^^", " ".repeat(14 + 3 * column as usize))?;
            pointed = true;
        }
    }
    Ok(())
}

fn part(bytes: &[u8], from: usize) -> &[u8] {
    &bytes[from.min(bytes.len())..(from + WIDTH).min(bytes.len())]
}

fn row(bytes: &[u8]) -> String {
    let mut hex: Vec<String> = bytes.iter().map(|b| format!("{b:02x}")).collect();
    hex.resize(WIDTH, "  ".into());
    hex.join(" ")
}

/// Bytes of a hex string; a digit that is none ends it.
fn bytes(text: &str) -> Vec<u8> {
    text.as_bytes()
        .chunks_exact(2)
        .map_while(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::record::Element;

    #[test]
    fn points_at_the_first_difference() {
        let text = render(&Difference {
            place: "dst".into(),
            offset: 18,
            start: 0,
            expected: "aa".repeat(20),
            actual: format!("{}bbaa", "aa".repeat(18)),
            element: None,
        });
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "  `dst` differs first at byte 18 (0x12):");
        assert!(lines[1].starts_with("    00000000  aa aa"));
        let column = lines[4].find("^^").unwrap();
        assert_eq!(&lines[2][column..column + 2], "aa");
        assert_eq!(&lines[3][column..column + 2], "bb");
    }

    #[test]
    fn the_element_is_told_in_its_own_terms() {
        let text = render(&Difference {
            place: "dst".into(),
            offset: 4,
            start: 0,
            expected: "00".repeat(8),
            actual: "01".repeat(8),
            element: Some(Element {
                row: Some(3),
                index: 1,
                expected: "1e0".into(),
                actual: "1.5e0".into(),
                ulps: Some(7),
            }),
        });
        let first = text.lines().next().unwrap();
        let says = "at byte 4 (0x4), row 3, element 1: 1.5e0 instead of 1e0 (7 ulp):";
        assert!(first.ends_with(says), "{first}");
    }

    #[test]
    fn odd_input_does_no_harm() {
        for (expected, actual) in [("", ""), ("0", "zz"), ("00", "0000"), ("é", "00")] {
            render(&Difference {
                place: "x".into(),
                offset: u64::MAX,
                start: u64::MAX - 1,
                expected: expected.repeat(20),
                actual: actual.repeat(20),
                element: None,
            });
        }
    }
}
