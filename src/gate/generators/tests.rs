use std::collections::HashSet;

use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::image::{CLASSES, Class};
use super::{BUILTIN, GenError, fill, image, text};
use crate::task::Fill;
use crate::task::prototype::CType;
use crate::task::vocabulary::makes;

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn integer_type() -> impl Strategy<Value = CType> {
    prop::sample::select(vec![
        CType::Bool,
        CType::Int(1),
        CType::Int(2),
        CType::Int(4),
        CType::Int(8),
        CType::Uint(1),
        CType::Uint(2),
        CType::Uint(4),
        CType::Uint(8),
    ])
}

/// Reads an integer back.
fn decode(elem: CType, bytes: &[u8]) -> i64 {
    let mut wide = [0; 8];
    if matches!(elem, CType::Int(_)) && bytes.last().is_some_and(|b| b & 0x80 != 0) {
        wide = [0xff; 8];
    }
    wide[..bytes.len()].copy_from_slice(bytes);
    i64::from_le_bytes(wide)
}

proptest! {
    #[test]
    fn an_extent_has_its_bytes_and_depends_on_the_seed_alone(
        seed: u64, rows in 0u64..6, cols in 0u64..40, pad in 0u64..9, elem in integer_type()
    ) {
        let stride = cols + pad;
        let make = || fill(&Fill::Bytes, elem, rows, cols, stride, &mut rng(seed)).unwrap();
        let elements = if rows == 0 { 0 } else { (rows - 1) * stride + cols };
        prop_assert_eq!(make().len() as u64, elements * elem.size());
        prop_assert_eq!(make(), make());
    }

    #[test]
    fn integers_stay_in_their_bounds_in_every_row(
        seed: u64, rows in 1u64..5, cols in 1u64..20, pad in 0u64..5, elem in integer_type(),
        a: i64, b: i64
    ) {
        let held = elem.range().unwrap();
        let fit = |v: i64| v.clamp(*held.start(), *held.end());
        let (lo, hi) = (fit(a.min(b)), fit(a.max(b)));
        let stride = cols + pad;
        let out = fill(&Fill::Int { lo, hi }, elem, rows, cols, stride, &mut rng(seed)).unwrap();
        let size = elem.size() as usize;
        for row in out.chunks(stride as usize * size) {
            for v in row[..cols as usize * size].chunks_exact(size) {
                prop_assert!((lo..=hi).contains(&decode(elem, v)));
            }
        }
    }

    #[test]
    fn floats_stay_in_their_bounds(seed: u64, a in -1e30f64..1e30, b in -1e30f64..1e30) {
        let (lo, hi) = (a.min(b), a.max(b));
        let of = |elem| fill(&Fill::Float { lo, hi, special: 0.0 }, elem, 1, 50, 50, &mut rng(seed));
        for v in of(CType::F64).unwrap().as_chunks::<8>().0 {
            prop_assert!((lo..=hi).contains(&f64::from_le_bytes(*v)));
        }
        // Bounds this far apart always have a `float` between them.
        prop_assume!(hi - lo > 1e-6 * hi.abs().max(lo.abs()));
        for v in of(CType::F32).unwrap().as_chunks::<4>().0 {
            prop_assert!((lo..=hi).contains(&f64::from(f32::from_le_bytes(*v))));
        }
    }

    #[test]
    fn a_plane_has_its_samples_in_every_class(
        seed: u64, rows in 0usize..20, cols in 0usize..50, max in prop::sample::select(vec![255, 65535])
    ) {
        for (class, _) in CLASSES {
            let plane = image::paint(class, rows, cols, max, &mut rng(seed));
            prop_assert_eq!(plane.len(), rows * cols);
            prop_assert!(plane.iter().all(|s| *s <= max));
            let values: HashSet<u16> = plane.iter().copied().collect();
            match class {
                Class::Black => prop_assert!(plane.iter().all(|s| *s == 0)),
                Class::White => prop_assert!(plane.iter().all(|s| *s == max)),
                Class::Checker => prop_assert!(values.len() <= 2),
                Class::Blocks => prop_assert!(values.len() <= 13),
                Class::Gradient if cols > 0 => for row in plane.chunks_exact(cols) {
                    let up = row.is_sorted();
                    prop_assert!(up || row.iter().rev().is_sorted(), "{:?}", row);
                },
                Class::Gradient | Class::Noise => {}
            }
        }
    }
}

#[test]
fn row_padding_is_random() {
    let out = fill(&Fill::Int { lo: 7, hi: 7 }, CType::Uint(1), 8, 4, 32, &mut rng(1)).unwrap();
    let padding: HashSet<u8> =
        out.chunks(32).flat_map(|row| &row[4.min(row.len())..]).copied().collect();
    assert!(padding.len() > 64, "{} different bytes of padding", padding.len());
    assert!(out.chunks(32).all(|row| row[..4] == [7; 4]));
}

#[test]
fn every_byte_and_every_class_occurs() {
    let bytes = fill(&Fill::Bytes, CType::Uint(1), 1, 10_000, 10_000, &mut rng(2)).unwrap();
    assert_eq!(bytes.into_iter().collect::<HashSet<u8>>().len(), 256);
    let mut rng = rng(3);
    let drawn: Vec<Class> = (0..1200).map(|_| image::draw(&mut rng)).collect();
    for (class, weight) in CLASSES {
        let count = drawn.iter().filter(|c| **c == class).count();
        assert!(count > 50 * weight as usize, "{class:?} came {count} times");
    }
}

#[test]
fn noise_and_blocks_reach_the_extremes() {
    let noise: HashSet<u16> =
        image::paint(Class::Noise, 100, 100, 255, &mut rng(4)).into_iter().collect();
    assert_eq!(noise.len(), 256);
    let edges = (0..50).flat_map(|seed| image::paint(Class::Blocks, 9, 9, 255, &mut rng(seed)));
    let edges: HashSet<u16> = edges.collect();
    assert!(edges.contains(&0) && edges.contains(&255));
}

#[test]
fn special_floats_of_every_kind_occur() {
    let of = |special| {
        let fill_with = Fill::Float { lo: 1.0, hi: 2.0, special };
        let bytes = fill(&fill_with, CType::F32, 1, 4000, 4000, &mut rng(5)).unwrap();
        bytes.as_chunks::<4>().0.iter().map(|v| f32::from_le_bytes(*v)).collect::<Vec<f32>>()
    };
    assert!(of(0.0).iter().all(|v| (1.0..=2.0).contains(v)));
    let half = of(0.5);
    let count = |is: fn(&f32) -> bool| half.iter().filter(|v| is(v)).count();
    assert!(count(|v| v.is_nan()) > 100);
    assert!(count(|v| *v == f32::INFINITY) > 100);
    assert!(count(|v| *v == f32::NEG_INFINITY) > 100);
    assert!(count(|v| v.to_bits() == 0) > 100);
    assert!(count(|v| v.to_bits() == 1 << 31) > 100);
    assert!(count(|v| v.is_subnormal()) > 100);
    assert!(count(|v| (1.0..=2.0).contains(v)) > 1500);
}

#[test]
fn what_cannot_be_filled_is_an_error() {
    let named = |name: &str, elem, option: Option<&str>| {
        let options = option.into_iter().map(|o| (o.to_owned(), vec![1.0])).collect();
        fill(&Fill::Gen { name: name.into(), options }, elem, 2, 2, 2, &mut rng(0))
    };
    assert_eq!(named("nothing", CType::Uint(1), None), Err(GenError::Unknown("nothing".into())));
    assert!(matches!(named("image", CType::F32, None), Err(GenError::Element { .. })));
    assert!(matches!(named("image", CType::Uint(1), Some("x")), Err(GenError::Option { .. })));
    assert_eq!(named("image", CType::Uint(2), None).unwrap().len(), 8);
    let bytes =
        |rows, cols, stride| fill(&Fill::Bytes, CType::Uint(8), rows, cols, stride, &mut rng(0));
    assert_eq!(bytes(2, 3, 2), Err(GenError::Stride { cols: 3, stride: 2 }));
    assert!(matches!(bytes(u64::MAX, 3, 3), Err(GenError::TooLarge { .. })));
    assert!(matches!(bytes(1, u64::MAX / 2, 0), Err(GenError::TooLarge { .. })));
    let int = |elem| fill(&Fill::Int { lo: 0, hi: 300 }, elem, 1, 1, 1, &mut rng(0));
    assert!(matches!(int(CType::Uint(1)), Err(GenError::Option { .. })));
    assert!(matches!(int(CType::F64), Err(GenError::Element { .. })));
}

/// The manifest is checked against a list in `task`, which must be what is built in here.
#[test]
fn the_manifest_knows_every_generator() {
    let image = [("image", &[][..])];
    let built: Vec<_> = image.iter().chain(text::BUILTIN).collect();
    assert_eq!(BUILTIN.iter().collect::<Vec<_>>(), built);
}

#[test]
fn the_manifest_knows_which_elements_each_generator_makes() {
    use CType::{Bool, Int, Uint};
    for elem in [Bool, Int(1), Int(2), Int(4), Int(8), Uint(1), Uint(2), Uint(4), Uint(8)] {
        for (name, _) in BUILTIN {
            let with = Fill::Gen { name: (*name).into(), options: Vec::new() };
            let made = fill(&with, elem, 1, 8, 8, &mut rng(6)).is_ok();
            assert_eq!(made, makes(name, elem), "{name} of {elem}");
        }
    }
}
