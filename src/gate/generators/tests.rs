use std::collections::HashSet;

use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::image::{CLASSES, Class};
use super::{
    Around, BUILTIN, Content, Extent, GenError, classes, fill_alone, floats, formats, image,
    patterns, text,
};
use crate::task::Fill;
use crate::task::own::OwnFill;
use crate::task::prototype::CType;
use crate::task::vocabulary::makes;

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// The bytes of a fill.
fn fill(
    with: &Fill,
    elem: CType,
    rows: u64,
    cols: u64,
    stride: u64,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<u8>, GenError> {
    let extent = Extent { rows, cols, stride };
    fill_alone(with, elem, extent, rng).map(|content| content.bytes)
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
                Class::Checker => prop_assert!(
                    (1..=8).any(|cell| is_checkered(&plane, cols, cell)), "{:?}", plane
                ),
                Class::Blocks => prop_assert!(values.len() <= 13),
                Class::Gradient => {
                    for row in plane.chunks_exact(cols.max(1)) {
                        prop_assert!(is_even(row), "{:?}", row);
                    }
                    for x in 0..cols {
                        let column: Vec<u16> = plane.iter().skip(x).step_by(cols).copied().collect();
                        prop_assert!(is_even(&column), "{:?}", column);
                    }
                }
                Class::Noise => {}
            }
        }
    }
}

/// Squares of this many samples, of two values in turn.
fn is_checkered(plane: &[u16], cols: usize, cell: usize) -> bool {
    let dark = |i: usize| (i % cols / cell + i / cols / cell).is_multiple_of(2);
    let of = |which: bool| (0..plane.len()).filter(move |i| dark(*i) == which).map(|i| plane[i]);
    [true, false].into_iter().all(|which| of(which).collect::<HashSet<u16>>().len() <= 1)
}

/// Rises or falls by the same, but for rounding.
fn is_even(samples: &[u16]) -> bool {
    let steps = samples.windows(2).map(|w| i32::from(w[1]) - i32::from(w[0]));
    let steps: Vec<i32> = steps.collect();
    let (least, most) = (steps.iter().min(), steps.iter().max());
    least.zip(most).is_none_or(|(least, most)| most - least <= 2)
}

#[test]
fn gradients_go_anywhere() {
    let planes: Vec<Vec<u16>> =
        (0..40).map(|seed| image::paint(Class::Gradient, 30, 30, 255, &mut rng(seed))).collect();
    // From each corner to each other one, and far.
    for (from, to) in [(0, 29), (0, 870), (29, 899), (870, 899), (0, 899)] {
        let steps = || planes.iter().map(|p| i32::from(p[to]) - i32::from(p[from]));
        assert!(steps().max() > Some(120) && steps().min() < Some(-120), "{from} to {to}");
    }
}

#[test]
fn checkers_have_cells_of_one_to_eight() {
    let planes = (0..200).map(|seed| image::paint(Class::Checker, 20, 20, 255, &mut rng(seed)));
    let cells: HashSet<usize> =
        planes.map(|p| (1..=20).find(|cell| is_checkered(&p, 20, *cell)).unwrap()).collect();
    assert_eq!(cells, (1..=8).collect());
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
    let floats = [("floats", floats::OPTIONS)];
    let own = image.iter().chain(text::BUILTIN).chain(patterns::BUILTIN);
    let built: Vec<_> = own.chain(formats::BUILTIN).chain(&floats).collect();
    assert_eq!(BUILTIN.iter().collect::<Vec<_>>(), built);
}

#[test]
fn the_manifest_knows_which_elements_each_generator_makes() {
    use CType::{Bool, F32, F64, Int, Uint};
    let integers = [Bool, Int(1), Int(2), Int(4), Int(8), Uint(1), Uint(2), Uint(4), Uint(8)];
    for elem in integers.into_iter().chain([F32, F64]) {
        for (name, _) in BUILTIN {
            let with = Fill::Gen { name: (*name).into(), options: Vec::new() };
            let made = fill(&with, elem, 1, 8, 8, &mut rng(6)).is_ok();
            assert_eq!(made, makes(name, elem), "{name} of {elem}");
        }
    }
}

fn named(name: &str, options: &[(&str, &[f64])]) -> Fill {
    let options = options.iter().map(|(key, values)| ((*key).into(), values.to_vec()));
    Fill::Gen { name: name.into(), options: options.collect() }
}

/// What a fill makes of `n` elements.
fn made(with: &Fill, elem: CType, n: u64, seed: u64) -> Content {
    let extent = Extent { rows: 1, cols: n, stride: n };
    fill_alone(with, elem, extent, &mut rng(seed)).unwrap()
}

/// What follows `other`.
fn beside_of(with: &Fill, elem: CType, extent: Extent, other: &[u8], seed: u64) -> Vec<u8> {
    let find = |_: &str| Some(other);
    let mut own = |_: &OwnFill, _, _, _| Err(String::new());
    let mut around = Around { other: &find, own: &mut own };
    super::fill(with, elem, extent, &mut around, &mut rng(seed)).unwrap().bytes
}

fn ints(with: &Fill, elem: CType, n: u64, seed: u64) -> Vec<i64> {
    let bytes = made(with, elem, n, seed).bytes;
    bytes.chunks_exact(elem.size() as usize).map(|e| decode(elem, e)).collect()
}

proptest! {
    #[test]
    fn patterns_stay_in_their_bounds(
        seed: u64, elem in integer_type(), a: i64, b: i64, n in 0u64..300,
        name in prop::sample::select(vec!["edges", "ramp", "sparse", "sorted", "runs"])
    ) {
        // Bounds that are exact as floating-point numbers.
        let held = elem.range().unwrap();
        let fit = |v: i64| (v >> 12).clamp(*held.start(), *held.end() >> 12);
        let (lo, hi) = (fit(a.min(b)), fit(a.max(b)));
        let values = ints(&named(name, &[("within", &[lo as f64, hi as f64])]), elem, n, seed);
        prop_assert_eq!(values.len() as u64, n);
        let zero = if name == "sparse" { 0i64.clamp(lo, hi) } else { lo };
        prop_assert!(values.iter().all(|v| (lo..=hi).contains(v) || *v == zero), "{:?}", values);
    }

    #[test]
    fn twins_agree_wherever_samples_may_be_taken(seed: u64, n in 0usize..400) {
        let with = Fill::Twins(Box::new(Fill::Bytes));
        let (a, b) = (ints(&with, CType::Int(4), n as u64, seed), ints(&with, CType::Int(4), n as u64, !seed));
        let ends = 64.min(n / 3);
        let shared = |i: usize| i < ends || i >= n - ends || i.is_multiple_of(16);
        for i in (0..n).filter(|i| shared(*i)) {
            prop_assert_eq!(a[i], b[i]);
        }
        prop_assert!(n < 3 || a != b, "they differ somewhere");
    }

    #[test]
    fn nothing_crosses_what_it_follows(seed: u64, elem in integer_type(), above: bool, near: bool) {
        let by = near.then_some((2.0, 5.0));
        let other = made(&Fill::Bytes, elem, 100, seed).bytes;
        let beside = Fill::Beside { other: "lo".into(), above, by };
        let extent = Extent { rows: 1, cols: 100, stride: 100 };
        let own = beside_of(&beside, elem, extent, &other, seed);
        let size = elem.size() as usize;
        for (o, x) in other.chunks(size).zip(own.chunks(size)) {
            let (o, x) = (decode(elem, o), decode(elem, x));
            if elem == CType::Uint(8) && o < 0 {
                continue; // above what these numbers can say: bounded by themselves
            }
            prop_assert!(if above { x >= o } else { x <= o }, "{} {}", x, o);
            if near {
                prop_assert!(x.abs_diff(o) <= 5, "{} {}", x, o);
            }
        }
    }

    #[test]
    fn floats_bound_each_other_too(seed: u64, above: bool) {
        let extent = Extent { rows: 2, cols: 50, stride: 60 };
        let whole = Fill::Gen { name: "floats".into(), options: vec![("zero".into(), vec![0.1])] };
        for elem in [CType::F32, CType::F64] {
            let other = fill_alone(&whole, elem, extent, &mut rng(seed)).unwrap().bytes;
            let beside = Fill::Beside { other: "o".into(), above, by: None };
            let own = beside_of(&beside, elem, extent, &other, seed);
            let value = |bytes: &[u8], i: usize| match elem {
                CType::F32 => f64::from(f32::from_le_bytes(bytes[4 * i..][..4].try_into().unwrap())),
                _ => f64::from_le_bytes(bytes[8 * i..][..8].try_into().unwrap()),
            };
            for i in (0..50).chain(60..110) {
                let (o, x) = (value(&other, i), value(&own, i));
                prop_assert!(if above { x >= o } else { x <= o }, "{} {}", x, o);
            }
            let apart = (0..50).filter(|i| value(&other, *i) != value(&own, *i)).count();
            prop_assert!(apart > 30, "{} of 50 differ", apart);
        }
    }
}

#[test]
fn patterns_are_what_their_names_say() {
    let elem = CType::Int(2);
    assert!(ints(&named("zeros", &[]), elem, 50, 1).iter().all(|v| *v == 0));
    assert!(ints(&named("ones", &[]), elem, 50, 1).iter().all(|v| *v == -1));
    assert_eq!(ints(&named("ones", &[]), CType::Bool, 2, 1), [1, 1]);
    let edges: HashSet<i64> = ints(&named("edges", &[]), elem, 5000, 2).into_iter().collect();
    for edge in [i64::from(i16::MIN), i64::from(i16::MAX), 0, -1, 255, 256, -257] {
        assert!(edges.contains(&edge), "{edge}");
    }
    let wide = made(&named("edges", &[]), CType::Uint(8), 2000, 2).bytes;
    assert!(wide.as_chunks::<8>().0.contains(&[0xff; 8]), "the largest of all");
    let sparse = ints(&named("sparse", &[]), elem, 10_000, 3);
    let filled = sparse.iter().filter(|v| **v != 0).count();
    assert!((300..800).contains(&filled), "{filled} of 10000");
    let runs = ints(&named("runs", &[("length", &[20.0])]), elem, 10_000, 4);
    let changes = runs.windows(2).filter(|w| w[0] != w[1]).count();
    assert!((350..650).contains(&changes), "{changes} changes");
    for seed in 0..20 {
        let sorted = made(&named("sorted", &[]), elem, 100, seed);
        let values: Vec<i64> = sorted.bytes.chunks(2).map(|e| decode(elem, e)).collect();
        match sorted.classes[0].as_str() {
            "sorted, ascending" => assert!(values.is_sorted()),
            "sorted, descending" => assert!(values.iter().rev().is_sorted()),
            other => panic!("{other}"),
        }
        let ramp = ints(&named("ramp", &[]), elem, 200, seed);
        let steps: HashSet<i64> = ramp.windows(2).map(|w| w[1] - w[0]).collect();
        assert!(steps.len() <= 2, "one step, and one where it starts anew: {steps:?}");
        let mask = ints(&named("mask", &[]), CType::Uint(1), 64, seed);
        assert!(mask.iter().all(|m| *m == 0 || *m == -1 || *m == 255));
    }
}

#[test]
fn patterns_of_floats_lie_between_minus_one_and_one() {
    let bytes = made(&named("sorted", &[]), CType::F64, 1000, 5).bytes;
    let all: Vec<f64> = bytes.as_chunks::<8>().0.iter().map(|v| f64::from_le_bytes(*v)).collect();
    let (least, most) = all.iter().fold((0f64, 0f64), |(l, m), v| (l.min(*v), m.max(*v)));
    assert!((-1.0..-0.9).contains(&least) && (0.9..=1.0).contains(&most), "{least} to {most}");
}

#[test]
fn ramps_of_floats_go_from_end_to_end() {
    let mut falls = 0;
    for seed in 0..20 {
        let bytes = made(&named("ramp", &[]), CType::F64, 1000, seed).bytes;
        let mut all: Vec<f64> =
            bytes.as_chunks::<8>().0.iter().map(|v| f64::from_le_bytes(*v)).collect();
        if all[0] > all[999] {
            all.reverse();
            falls += 1;
        }
        assert!(all.windows(2).all(|w| (w[1] - w[0] - 0.002).abs() < 1e-9), "{all:?}");
        assert!(all[0] < -0.99 && all[999] > 0.99, "{} to {}", all[0], all[999]);
    }
    assert!((1..20).contains(&falls), "{falls} of 20 fall");
}

#[test]
fn a_density_is_one_probability_or_two_bounds_of_it() {
    let share = |density: &[f64], seed| {
        let values = ints(&named("sparse", &[("density", density)]), CType::Int(2), 4000, seed);
        values.iter().filter(|v| **v != 0).count() as f64 / 4000.0
    };
    for seed in 0..10 {
        assert!((0.7..0.8).contains(&share(&[0.75], seed)), "{}", share(&[0.75], seed));
    }
    let shares: Vec<f64> = (0..50).map(|seed| share(&[0.25, 1.0], seed)).collect();
    assert!(shares.iter().all(|s| *s > 0.2), "{shares:?}");
    assert!(shares.iter().any(|s| *s < 0.4) && shares.iter().any(|s| *s > 0.85), "{shares:?}");
    let extent = Extent { rows: 1, cols: 1, stride: 1 };
    for density in [&[0.5, 0.2][..], &[-0.1, 0.5], &[0.5, 1.1], &[1.1], &[]] {
        let with = named("sparse", &[("density", density)]);
        let refused = fill_alone(&with, CType::Int(2), extent, &mut rng(0));
        assert!(matches!(refused, Err(GenError::Option { .. })), "{density:?}");
    }
}

#[test]
fn floats_have_every_magnitude_and_any_payload() {
    let with = named("floats", &[("nan", &[0.2]), ("subnormal", &[0.1])]);
    let bytes = made(&with, CType::F64, 5000, 7).bytes;
    let all: Vec<f64> = bytes.as_chunks::<8>().0.iter().map(|v| f64::from_le_bytes(*v)).collect();
    let nans: HashSet<u64> = all.iter().filter(|v| v.is_nan()).map(|v| v.to_bits()).collect();
    assert!(nans.len() > 800, "{} payloads", nans.len());
    assert!(all.iter().filter(|v| v.is_subnormal()).count() > 300);
    assert!(all.iter().all(|v| *v != 0.0 && !v.is_infinite()));
    let normal = || all.iter().filter(|v| v.is_normal());
    assert!(normal().filter(|v| v.abs() < 1e-150).count() > 700, "a quarter is tiny");
    assert!(normal().filter(|v| v.abs() > 1e150).count() > 700, "as many are huge");
    let some = made(&named("floats", &[("exponents", &[0.0, 1.0])]), CType::F32, 500, 7).bytes;
    for v in some.as_chunks::<4>().0 {
        assert!((1.0..4.0).contains(&f32::from_le_bytes(*v).abs()));
    }
    let far = named("floats", &[("exponents", &[-200.0, 0.0])]);
    let extent = Extent { rows: 1, cols: 1, stride: 1 };
    let refused = fill_alone(&far, CType::F32, extent, &mut rng(0));
    assert!(matches!(refused, Err(GenError::Option { .. })), "{refused:?}");
}

#[test]
fn formats_have_their_own_characters_and_a_break_has_others() {
    for (name, _) in formats::BUILTIN {
        for seed in 0..30 {
            let of = |p: f64| made(&named(name, &[("broken", &[p])]), CType::Uint(1), 200, seed);
            let fine = |b: &u8| (0x20..0x7f).contains(b) || matches!(b, b'\r' | b'\n' | b'\t');
            assert!(of(0.0).bytes.iter().all(fine), "{name}");
            let broken = of(1.0);
            assert_eq!(broken.bytes.iter().filter(|b| !fine(b)).count(), 1, "{name}");
            assert_eq!(broken.classes, [format!("{name}, broken")]);
        }
    }
    // Line by line, all but the one that was cut.
    let json = made(&named("json", &[]), CType::Uint(1), 4000, 3).bytes;
    let text = String::from_utf8(json).unwrap();
    let lines: Vec<&str> = text.split('\n').collect();
    for line in &lines[..lines.len() - 1] {
        let value: Result<serde_json::Value, _> = serde_json::from_str(line);
        assert!(value.is_ok() || line.contains('.') || line.len() > 18, "{line}");
    }
}

#[test]
fn every_class_that_is_declared_occurs() {
    let text = named("utf8", &[("broken", &[0.3])]);
    let list = Fill::Any(vec![
        Fill::Bytes,
        named("mask", &[]),
        Fill::Twins(Box::new(Fill::Int { lo: 0, hi: 9 })),
        text.clone(),
    ]);
    let special = Fill::Float { lo: 0.0, hi: 1.0, special: 0.2 };
    for (with, elem, count) in [
        (list, CType::Uint(1), 1 + 3 + 3 + 2),
        (text, CType::Uint(1), 2),
        (named("image", &[]), CType::Uint(2), 6),
        (special, CType::F32, 4),
        (named("floats", &[("nan", &[0.1]), ("zero", &[0.1])]), CType::F64, 2),
        (named("utf8", &[("broken", &[1.0])]), CType::Uint(1), 1),
        (Fill::Bytes, CType::Uint(1), 0),
    ] {
        let declared = classes::declared(&with);
        assert_eq!(declared.len(), count, "{declared:?}");
        let seen: HashSet<String> =
            (0..300).flat_map(|seed| made(&with, elem, 256, seed).classes).collect();
        for class in declared {
            assert!(seen.contains(&class), "{class} of {seen:?}");
        }
    }
}

#[test]
fn own_generators_make_as_much_as_was_asked_for() {
    let (name, options, params) = ("g".to_owned(), Vec::new(), Vec::new());
    let with = Fill::Own(Box::new(OwnFill { name, options, params }));
    let extent = Extent { rows: 2, cols: 3, stride: 3 };
    let make = |bytes: usize| {
        let mut own = |_: &OwnFill, _, _, _| Ok(vec![1; bytes]);
        let mut around = Around { other: &|_| None, own: &mut own };
        super::fill(&with, CType::Uint(4), extent, &mut around, &mut rng(0))
    };
    assert_eq!(make(24).unwrap().bytes, [1; 24]);
    for wrong in [0, 1, 6, 10, 23, 25] {
        assert!(matches!(make(wrong), Err(GenError::Own(_))), "{wrong}");
    }
}
