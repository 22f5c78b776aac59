//! The simplest content that a buffer may have under its contract.

use crate::task::Fill;
use crate::task::prototype::CType;

/// The simplest element that `fill` may make: nothing, or the nearest to it; `a` in texts. `None`
/// where elements can't be replaced one by one.
pub fn element(fill: &Fill, elem: CType) -> Option<Vec<u8>> {
    let size = elem.size() as usize;
    let integer = |value: i64| Some(value.to_le_bytes()[..size.min(8)].to_vec());
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
            "utf8" | "ascii" | "latin1" | "latin1_utf8" | "utf16le" | "utf32" => {
                integer(i64::from(b'a'))
            }
            "utf16be" => integer(i64::from(u16::from(b'a').swap_bytes())),
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
pub fn allowed(fill: &Fill, content: &[u8]) -> bool {
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
            "utf16le" => String::from_utf16(&units(u16::from_le_bytes)).is_ok(),
            "utf16be" => String::from_utf16(&units(u16::from_be_bytes)).is_ok(),
            _ => true,
        }
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
        assert_eq!(element(&Fill::Bytes, CType::Uint(8)).unwrap(), [0; 8]);
        assert_eq!(element(&text("utf16be", 0.0), CType::Uint(2)).unwrap(), [0, b'a']);
        assert_eq!(element(&text("base64", 0.0), CType::Uint(1)), None);
    }

    #[test]
    fn whole_texts_stay_whole() {
        assert!(allowed(&text("utf8", 0.0), "aé".as_bytes()));
        assert!(!allowed(&text("utf8", 0.0), b"a\xA9"));
        assert!(allowed(&text("utf8", 0.1), b"a\xA9"));
        assert!(!allowed(&text("utf16le", 0.0), &[0x00, 0xD8, b'a', 0]));
        assert!(allowed(&text("utf16be", 0.0), &[0xD8, 0x00, 0xDC, 0x00]));
        assert!(allowed(&Fill::Bytes, b"\xFF"));
    }
}
