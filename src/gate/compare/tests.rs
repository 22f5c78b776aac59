use proptest::prelude::*;

use super::*;
use crate::gate::fixture;
use crate::task::fixture::Fixture;
use crate::task::prototype::CType;
use crate::task::{Near, Ret, Rule, Same};
use crate::worker::request::FrameInstance;

fn buffer(role: Role, bytes: u64, output: Option<(u64, u64, u64)>, kept: bool) -> BufferInstance {
    let content = if role.is_filled() { (0..bytes as u8).collect() } else { Vec::new() };
    let rule = Rule { elem: CType::Uint(1), same: Same::Bits };
    BufferInstance { output, kept, rule, content, ..fixture::buffer(role, bytes) }
}

/// A buffer as a worker flushes it: four bytes of canary on each side, content from `f`.
fn flushed(bytes: u64, poison: u8, f: impl Fn(u64) -> u8) -> (u64, Vec<u8>, u64) {
    let canary = |o: i64| wire::poison(u64::from(poison), o as u64);
    let all = (-4..bytes as i64 + 4)
        .map(|o| if (0..bytes as i64).contains(&o) { f(o as u64) } else { canary(o) });
    (4, all.collect(), 4)
}

fn call(b: BufferInstance) -> Instance {
    let frame = FrameInstance {
        symbol: 0,
        args: vec![],
        ret: 4,
        ret_compared: true,
        ret_rule: Rule { elem: CType::Uint(4), same: Same::Bits },
    };
    Instance { buffers: vec![b], makes: Vec::new(), frames: vec![frame] }
}

fn answer(buffer: (u64, Vec<u8>, u64), ret: u64, lengths: Vec<u64>) -> Answer {
    Answer { buffers: vec![buffer], ret, lengths, exact: Vec::new() }
}

#[test]
fn equal_answers_pass_whatever_the_poison() {
    let plane = call(buffer(Role::Out, 30, Some((3, 8, 11)), true));
    let f = |poison: u8| {
        move |o: u64| if o % 11 < 8 { o as u8 } else { wire::poison(u64::from(poison), o) }
    };
    let oracle = answer(flushed(30, 0x5A, f(0x5A)), 7, vec![24]);
    let candidate = answer(flushed(30, 0xA5, f(0xA5)), 7, vec![]);
    assert_eq!(compare(&plane, &oracle, &candidate, 0xA5), Ok(()));
}

#[test]
fn every_single_wrong_byte_is_found_and_named() {
    let plane = call(buffer(Role::Out, 30, Some((3, 8, 11)), true));
    let f = |o: u64| if o % 11 < 8 { o as u8 } else { wire::poison(0x5A, o) };
    let oracle = answer(flushed(30, 0x5A, f), 7, vec![24]);
    for at in -4i64..34 {
        let mut candidate = oracle.clone();
        candidate.buffers[0].1[(at + 4) as usize] ^= 1;
        let found = compare(&plane, &oracle, &candidate, 0x5A).unwrap_err();
        match found {
            Mismatch::Output(p) => {
                assert!((0..30).contains(&at) && at % 11 < 8);
                assert_eq!((p.offset, p.row), (at, Some((at as u64 / 11, at as u64 % 11))));
            }
            Mismatch::Written { what: Kept::Padding, place } => {
                assert!((0..30).contains(&at) && at % 11 >= 8 && place.offset == at);
            }
            Mismatch::Written { what: Kept::Outside, place } => {
                assert!(!(0..30).contains(&at) && place.offset == at);
            }
            other => panic!("{other:?}"),
        }
    }
}

proptest! {
    /// Whole runs at a time are judged as their bytes are, whatever is wrong.
    #[test]
    fn the_quick_look_is_as_strict_as_byte_by_byte(
        role in prop::sample::select(
            vec![Role::In, Role::Out, Role::InOut, Role::State, Role::Scalars, Role::Material]),
        (is_output, kept) in any::<(bool, bool)>(),
        (bytes, filled, room) in (0..200u64, 0..200usize, 0..9u64),
        (before, after) in (0..150u64, 0..150u64),
        (wrong, lost) in (prop::option::of(any::<prop::sample::Index>()), 0..3usize),
        (from, to) in any::<(prop::sample::Index, prop::sample::Index)>(),
    ) {
        let content = (0..filled.min(bytes as usize)).map(|i| i as u8).collect();
        let output = is_output.then_some((1, bytes, bytes));
        let b = BufferInstance { room, content, ..buffer(role, bytes, output, kept) };
        let call = call(b);
        let oracle = answer((0, Vec::new(), 0), 0, vec![0]);
        let all = Expectation::new(&call, &oracle, 0, 0, 0x5A);
        let first = -(before as i64);
        let last = (bytes + room + after) as i64;
        let right = (first..last).map(|o| if let Expected::Kept(_, e) = all.at(o) { e } else { 7 });
        let mut flushed: Vec<u8> = right.collect();
        if let Some(wrong) = wrong.filter(|_| !flushed.is_empty()) {
            let at = wrong.index(flushed.len());
            flushed[at] ^= 1;
        }
        flushed.truncate(flushed.len().saturating_sub(lost));
        let place = |i: prop::sample::Index| first + i.index((last - first) as usize + 1) as i64;
        let range = place(from)..place(to);
        let quick = all.all_kept(&range, before, &flushed);
        prop_assert_eq!(quick, all.first_written(range, before, &flushed).is_none());
    }
}

/// What lies behind a plane without columns lies in no row. (A call that is made has no rows then.)
#[test]
fn a_plane_of_nothing_has_no_rows() {
    let plane = call(buffer(Role::Out, 0, Some((3, 0, 0)), true));
    let oracle = answer(flushed(0, 0x5A, |_| 0), 7, vec![0]);
    let mut candidate = oracle.clone();
    candidate.buffers[0].1[4] ^= 1;
    let found = compare(&plane, &oracle, &candidate, 0x5A).unwrap_err();
    let Mismatch::Written { what: Kept::Outside, place } = found else { panic!("{found:?}") };
    assert_eq!((place.offset, place.row), (0, None));
}

/// Of rows far apart, with canaries as wide as a worker's.
#[test]
fn what_lies_between_rows_is_guarded_however_much_it_is() {
    for role in [Role::Out, Role::InOut] {
        let plane = call(buffer(role, 108, Some((2, 8, 100)), true));
        let byte = |o: i64| match o {
            0..108 if o % 100 < 8 || role == Role::InOut => o as u8,
            _ => wire::poison(0x5A, o as u64),
        };
        let oracle = answer((32, (-32..140).map(byte).collect(), 32), 7, vec![]);
        assert_eq!(compare(&plane, &oracle, &oracle, 0x5A), Ok(()));
        for at in -32i64..140 {
            let mut candidate = oracle.clone();
            candidate.buffers[0].1[(at + 32) as usize] ^= 1;
            match compare(&plane, &oracle, &candidate, 0x5A) {
                Err(Mismatch::Output(place) | Mismatch::Written { place, .. }) => {
                    assert_eq!(place.offset, at);
                }
                other => panic!("byte {at} is wrong, not {other:?}"),
            }
        }
    }
}

/// Where a byte outside is found to be changed, in what is right without that.
fn found_outside(call: &Instance, oracle: &Answer, mut candidate: Answer, at: usize) -> i64 {
    assert_eq!(compare(call, oracle, &candidate, 0x5A), Ok(()));
    candidate.buffers[0].1[at] ^= 1;
    match compare(call, oracle, &candidate, 0x5A) {
        Err(Mismatch::Written { what: Kept::Outside, place }) => place.offset,
        other => panic!("{other:?}"),
    }
}

#[test]
fn room_may_be_written_and_what_follows_it_may_not() {
    let mut b = buffer(Role::Out, 8, Some((1, 8, 8)), true);
    b.room = 3;
    let roomy = call(b);
    let oracle = answer(flushed(8, 0x5A, |o| o as u8), 7, vec![]);
    let mut candidate = oracle.clone();
    candidate.buffers[0].1[12..15].fill(77);
    assert_eq!(found_outside(&roomy, &oracle, candidate, 15), 11);
}

/// Nor is it named where something else is wrong.
#[test]
fn what_need_not_be_kept_may_hold_anything() {
    let plane = call(buffer(Role::Out, 33, Some((3, 8, 11)), false));
    let oracle = answer(flushed(33, 0x5A, |o| o as u8), 7, vec![]);
    let f = |o: u64| if o % 11 < 8 { o as u8 } else { 77 };
    let candidate = answer(flushed(33, 0x5A, f), 7, vec![]);
    assert_eq!(found_outside(&plane, &oracle, candidate, 37), 33);
}

/// The oracle's worker has the other pattern, which is none of the candidate's.
#[test]
fn what_should_be_there_is_shown_beside_what_is() {
    let plane = call(buffer(Role::Out, 30, Some((3, 8, 11)), true));
    let f = |poison: u8| {
        move |o: u64| if o % 11 < 8 { o as u8 } else { wire::poison(u64::from(poison), o) }
    };
    let oracle = answer(flushed(30, 0x5A, f(0x5A)), 7, vec![]);
    let right = answer(flushed(30, 0xA5, f(0xA5)), 7, vec![]);
    for (at, start, row) in
        [(-2i64, -4i64, None), (5, 0, Some((0, 5))), (9, 0, Some((0, 9))), (31, 0, Some((2, 9)))]
    {
        let mut wrong = right.clone();
        wrong.buffers[0].1[(at + 4) as usize] ^= 1;
        let place = match compare(&plane, &oracle, &wrong, 0xA5) {
            Err(Mismatch::Output(place) | Mismatch::Written { place, .. }) => place,
            other => panic!("byte {at} is wrong, not {other:?}"),
        };
        assert_eq!((place.offset, place.start, place.row), (at, start, row));
        let from = (start + 4) as usize;
        let shown = |of: &Answer| of.buffers[0].1[from..from + place.actual.len()].to_vec();
        assert_eq!((&place.expected, &place.actual), (&shown(&right), &shown(&wrong)), "byte {at}");
    }
}

#[test]
fn what_is_no_plane_has_no_rows_to_name() {
    let flat = call(buffer(Role::Out, 30, Some((1, 30, 30)), true));
    let oracle = answer(flushed(30, 0x5A, |o| o as u8), 7, vec![]);
    let wrong = answer(flushed(30, 0x5A, |o| o as u8 ^ u8::from(o == 3)), 7, vec![]);
    let found = compare(&flat, &oracle, &wrong, 0x5A);
    assert!(
        matches!(found, Err(Mismatch::Output(Place { offset: 3, row: None, .. }))),
        "{found:?}"
    );
}

#[test]
fn what_is_shown_lies_around_the_wrong_byte() {
    let long = call(buffer(Role::Out, 250, Some((1, 250, 250)), false));
    let oracle = answer(flushed(250, 0x5A, |o| o as u8), 7, vec![250]);
    for at in [0usize, 100, 249] {
        let mut candidate = oracle.clone();
        candidate.buffers[0].1[at + 4] ^= 1;
        let Err(Mismatch::Output(place)) = compare(&long, &oracle, &candidate, 0x5A) else {
            panic!("byte {at} is wrong");
        };
        let end = place.start + place.actual.len() as i64;
        assert_eq!(place.start, (at as i64 - CONTEXT).max(0));
        assert_eq!(end, (at as i64 + CONTEXT).min(254), "two canaries at most after the last byte");
    }
}

#[test]
fn inputs_must_come_back_as_they_went() {
    for role in [Role::In, Role::Material, Role::Scalars] {
        let input = call(buffer(role, 20, None, false));
        let oracle = answer(flushed(20, 0x5A, |o| o as u8), 0, vec![]);
        assert_eq!(compare(&input, &oracle, &oracle, 0x5A), Ok(()));
        let mut changed = oracle.clone();
        changed.buffers[0].1[10] = 99;
        let found = compare(&input, &oracle, &changed, 0x5A);
        assert!(matches!(found, Err(Mismatch::Written { what: Kept::Input, .. })), "{found:?}");
    }
}

#[test]
fn only_valid_elements_are_compared_when_a_call_says_how_many() {
    let mut b = buffer(Role::Out, 20, Some((1, 20, 20)), false);
    b.used = vec![Default::default()];
    let text = call(b);
    let oracle = answer(flushed(20, 0x5A, |o| o as u8), 5, vec![5]);
    let other = answer(flushed(20, 0x5A, |o| if o < 5 { o as u8 } else { 77 }), 5, vec![]);
    assert_eq!(compare(&text, &oracle, &other, 0x5A), Ok(()));
    let short = answer(flushed(20, 0x5A, |o| if o < 4 { o as u8 } else { 77 }), 5, vec![]);
    assert!(matches!(compare(&text, &oracle, &short, 0x5A), Err(Mismatch::Output(_))));
    let ret = answer(flushed(20, 0x5A, |o| o as u8), 6, vec![]);
    let found = compare(&text, &oracle, &ret, 0x5A);
    assert_eq!(found, Err(Mismatch::Return { expected: 5, actual: 6 }));
}

const KEY: Block = [3, 4];

/// What a worker with this answer commits to.
fn digest_of(answer: &Answer, rows: &[(usize, usize, usize)]) -> Block {
    let (before, bytes, _) = &answer.buffers[0];
    let stretches: Vec<Stretch> = rows
        .iter()
        .map(|&(rows, row_bytes, stride)| Stretch {
            start: bytes[*before as usize..].as_ptr(),
            rows,
            row_bytes,
            stride,
        })
        .collect();
    // SAFETY: the stretches lie in the answer's bytes.
    unsafe { seal::binding(KEY, &stretches, answer.ret) }
}

/// A call with an output of so many floats within 2 ULP, in rows; and an answer to it.
fn floats(values: &[f32], shape: (u64, u64, u64)) -> (Instance, Answer) {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let mut b = buffer(Role::Out, bytes.len() as u64, Some(shape), true);
    let near = Near { ulp: Some(2), ..Near::default() };
    (b.elem, b.rule) = (4, Rule { elem: CType::F32, same: Same::Near(near) });
    let flushed = flushed(bytes.len() as u64, 0x5A, |o| bytes[o as usize]);
    (call(b), answer(flushed, 7, vec![]))
}

fn step(x: f32, n: i32) -> f32 {
    f32::from_bits((x.to_bits() as i32 + n) as u32)
}

#[test]
fn values_within_the_tolerance_pass_and_the_first_beyond_it_is_named() {
    let right = [1.0, -2.0, 3.0e-5, 4.0e9];
    let (call, oracle) = floats(&right, (1, 16, 16));
    let (_, near) = floats(&[step(1.0, 2), step(-2.0, -1), step(3.0e-5, -2), 4.0e9], (1, 16, 16));
    assert_eq!(compare(&call, &oracle, &near, 0x5A), Ok(()));
    let (_, off) = floats(&[step(1.0, 2), -2.0, step(3.0e-5, 3), 4.0e9], (1, 16, 16));
    match compare(&call, &oracle, &off, 0x5A) {
        Err(Mismatch::Output(place)) => {
            assert_eq!(place.offset, 8);
            let values = place.values.unwrap();
            assert!(values.contains("3 ULP apart"), "{values}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_handed_over_must_be_what_was_committed_to() {
    // Two rows of two values, five apart.
    let right = [1.0, 2.0, 9.0, 9.0, 9.0, 3.0, 4.0];
    let (call, oracle) = floats(&right, (2, 8, 20));
    let near = [step(1.0, 1), 2.0, 8.0, 8.0, 8.0, 3.0, step(4.0, -2)];
    let (_, candidate) = floats(&near, (2, 8, 20));
    let digest = digest_of(&candidate, &[(2, 8, 20)]);
    let seal = (Algorithm::detect(), KEY, digest);
    assert_eq!(committed(&call, &oracle, &candidate, seal), Some(Ok(())));
    // Right by now, but not when the clock stopped.
    let (_, late) = floats(&right, (2, 8, 20));
    assert_eq!(committed(&call, &oracle, &late, seal), None);
    let other = Answer { ret: 8, ..candidate.clone() };
    assert_eq!(committed(&call, &oracle, &other, seal), None);
    // Committed to, and wrong.
    let (_, wrong) = floats(&[5.0, 2.0, 8.0, 8.0, 8.0, 3.0, 4.0], (2, 8, 20));
    let seal = (Algorithm::detect(), KEY, digest_of(&wrong, &[(2, 8, 20)]));
    let found = committed(&call, &oracle, &wrong, seal);
    assert!(matches!(found, Some(Err(Mismatch::Output(_)))), "{found:?}");
    // Nothing was handed over.
    let none = Answer { buffers: vec![(0, Vec::new(), 0)], ..candidate };
    assert_eq!(committed(&call, &oracle, &none, seal), None);
}

#[test]
fn rows_without_padding_are_committed_to_as_one() {
    let (call, oracle) = floats(&[1.0, 2.0, 3.0, 4.0], (2, 8, 8));
    let seal = (Algorithm::detect(), KEY, digest_of(&oracle, &[(1, 16, 16)]));
    assert_eq!(committed(&call, &oracle, &oracle, seal), Some(Ok(())));
    let mut partial = call.clone();
    partial.buffers[0].output = Some((1, 16, 16));
    partial.buffers[0].used = vec![Default::default()];
    let half = Answer { lengths: vec![8], ..oracle.clone() };
    let seal = (Algorithm::detect(), KEY, digest_of(&oracle, &[(1, 8, 16)]));
    assert_eq!(committed(&partial, &half, &oracle, seal), Some(Ok(())));
}

#[test]
fn errors_are_against_exact_values_where_they_are_known() {
    let (call, mut oracle) = floats(&[1.0, 2.0], (1, 8, 8));
    let (_, candidate) = floats(&[step(1.0, 2), 2.0], (1, 8, 8));
    let mut errors = Errors {
        buffer: Some(0),
        elem: CType::F32,
        exact: false,
        candidate: Default::default(),
        reference: Default::default(),
    };
    let mut exact = Errors { exact: true, ..errors.clone() };
    errors.add(&call, &oracle, &candidate);
    assert_eq!((errors.candidate.max(), errors.candidate.bias()), (2.0, 1.0));
    assert_eq!((errors.candidate.differing(), errors.reference.count()), (0.5, 0));
    oracle.exact = vec![Some(vec![[f64::from(step(1.0, 3)), 0.0], [2.0, 0.0]])];
    exact.add(&call, &oracle, &candidate);
    assert_eq!((exact.candidate.max(), exact.reference.max()), (1.0, 3.0));
    assert_eq!(exact.candidate.bias(), -0.5);
}

#[test]
fn values_of_every_row_are_held_against_their_own_exact_ones() {
    let right = [1.0, 2.0, 9.0, 9.0, 9.0, 3.0, 4.0];
    let (mut call, mut oracle) = floats(&right, (2, 8, 20));
    let b = &mut call.buffers[0];
    b.kept = false;
    b.rule.same = Same::Near(Near { times: Some(2.0), ..Near::default() });
    // The reference's last value is a unit off.
    let mut exact = right.map(|x| [f64::from(x), 0.0]);
    exact[6][0] = f64::from(step(4.0, 1));
    oracle.exact = vec![Some(exact.to_vec())];
    let found = |last: f32| {
        let (_, candidate) = floats(&[1.0, 2.0, 9.0, 9.0, 9.0, 3.0, last], (2, 8, 20));
        compare(&call, &oracle, &candidate, 0x5A)
    };
    assert_eq!(found(step(4.0, 3)), Ok(()));
    match found(5.0) {
        Err(Mismatch::Output(place)) => {
            // The first byte that differs is the third of the value.
            assert_eq!((place.offset, place.row), (26, Some((1, 6))));
            let says = "5e0 instead of 4e0: 2097152 ULP apart, 1.000e0; against the exact value \
                        2097151.000 and -1.000 ULP, the reference's largest is 1.000";
            assert_eq!(place.values.as_deref(), Some(says));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn values_are_shown_as_their_type_tells_them_apart() {
    let says = |elem: CType, expected: u64, actual: u64| {
        let rule = Rule { elem, same: Same::Near(Near::default()) };
        Judge::new(rule, None, std::iter::empty()).explain(0, expected, actual).unwrap()
    };
    let single = |x: f32| u64::from(x.to_bits());
    let found = says(CType::F32, single(0.1), single(f32::INFINITY));
    assert_eq!(found, "inf instead of 1e-1");
    let nan = f64::NAN.to_bits();
    let found = says(CType::F64, nan, 1f64.to_bits());
    assert_eq!(found, format!("1e0 instead of NaN ({nan:#x})"));
}

#[test]
fn what_is_handed_over_in_part_or_not_at_all_is_not_right() {
    let (call, oracle) = floats(&[1.0, 2.0, 9.0, 9.0, 9.0, 3.0, 4.0], (2, 8, 20));
    let seal = (Algorithm::detect(), KEY, digest_of(&oracle, &[(2, 8, 20)]));
    let mut part = oracle.clone();
    part.buffers[0].1.truncate(4 + 20);
    assert_eq!(committed(&call, &oracle, &part, seal), None);
    let none = Answer { buffers: vec![(0, Vec::new(), 0)], ..oracle.clone() };
    let found = compare(&call, &oracle, &none, 0x5A);
    assert!(matches!(found, Err(Mismatch::Output(_))), "{found:?}");
}

#[test]
fn an_output_without_rows_is_no_part_of_what_is_committed_to() {
    let (call, oracle) = floats(&[], (0, 8, 20));
    let seal = (Algorithm::detect(), KEY, digest_of(&oracle, &[]));
    assert_eq!(committed(&call, &oracle, &oracle, seal), Some(Ok(())));
}

#[test]
fn errors_of_every_row_are_against_the_values_at_the_same_place() {
    let (call, oracle) = floats(&[1.0, 2.0, 9.0, 9.0, 9.0, 3.0, 4.0], (2, 8, 20));
    let (_, candidate) = floats(&[1.0, 2.0, 8.0, 8.0, 8.0, step(3.0, 3), 4.0], (2, 8, 20));
    let mut errors = Errors {
        buffer: Some(0),
        elem: CType::F32,
        exact: false,
        candidate: Default::default(),
        reference: Default::default(),
    };
    errors.add(&call, &oracle, &candidate);
    let found = errors.candidate;
    assert_eq!((found.count(), found.max(), found.differing()), (4, 3.0, 0.25));
}

#[test]
fn returned_values_have_no_exact_ones() {
    let mut fixture = Fixture::c(&[], &["f"]);
    let f = &mut fixture.task.functions[0];
    f.exact = Some("f_exact".into());
    f.ret = Ret::Same(Rule { elem: CType::F64, same: Same::Near(Near::default()) });
    let all: Vec<_> = errors::of(f).iter().map(|e| (e.buffer, e.exact)).collect();
    assert_eq!(all, [(None, false)]);
}
