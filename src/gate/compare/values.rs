//! Values instead of bytes: how far two are apart, and whether that is near enough.
//!
//! Differences are taken in `double`. For `float` values they are exact up to its rounding; for
//! `double` values a difference near enough to matter is exact (Sterbenz), and elsewhere off by one
//! part in 2^53.

use crate::task::prototype::CType;
use crate::task::{Near, Rule, Same};

/// A value to more digits than `double` has: the sum of the two.
pub type Wide = [f64; 2];

/// The bits of an element.
pub fn bits(element: &[u8]) -> u64 {
    let mut wide = [0; 8];
    let n = element.len().min(8);
    wide[..n].copy_from_slice(&element[..n]);
    u64::from_le_bytes(wide)
}

/// An integer of any type.
fn integer(elem: CType, bits: u64) -> i128 {
    match elem {
        CType::Int(1) => i128::from(bits as i8),
        CType::Int(2) => i128::from(bits as i16),
        CType::Int(4) => i128::from(bits as i32),
        CType::Int(_) => i128::from(bits as i64),
        _ => i128::from(bits),
    }
}

/// A floating-point value.
pub fn float(elem: CType, bits: u64) -> f64 {
    match elem {
        CType::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// From one representable value to the next where `value` is.
pub fn spacing(elem: CType, value: f64) -> f64 {
    if elem == CType::F32 {
        let exponent = ((value.to_bits() >> 52 & 0x7FF) as i64 - 1023).clamp(-126, 127);
        return f64::from_bits(((exponent - 23 + 1023) as u64) << 52);
    }
    let magnitude = value.abs().min(f64::MAX.next_down());
    magnitude.next_up() - magnitude
}

/// Number of representable values from one to the other; the two zeros are one value, and an
/// infinity follows the largest finite one.
fn steps(elem: CType, a: u64, b: u64) -> u64 {
    let sign = if elem == CType::F32 { 31 } else { 63 };
    let [x, y] = [a, b].map(|bits| bits & ((1 << sign) - 1));
    if (a ^ b) >> sign == 0 { x.abs_diff(y) } else { x + y }
}

/// Error of a value, signed.
pub fn error(value: f64, exact: Wide) -> f64 {
    (value - exact[0]) - exact[1]
}

/// Decides about the elements of one output of one call.
#[derive(Debug, Clone, Copy, Default)]
pub struct Judge<'a> {
    rule: Rule,
    /// The exact value of each element of the extent, where there are such.
    exact: Option<&'a [Wide]>,
    /// Largest error of the reference: as such, and in units of the last place.
    own: (f64, f64),
}

impl<'a> Judge<'a> {
    /// For elements whose exact values, if known, are those; `reference` gives the index and bits
    /// of each valid one.
    pub fn new(
        rule: Rule,
        exact: Option<&'a [Wide]>,
        reference: impl Iterator<Item = (usize, u64)>,
    ) -> Self {
        let mut own = (0.0f64, 0.0f64);
        let needed = matches!(rule.same, Same::Near(Near { times: Some(_), .. }));
        if let Some(exact) = exact.filter(|_| needed) {
            for (index, bits) in reference {
                let (value, Some(&right)) = (float(rule.elem, bits), exact.get(index)) else {
                    continue;
                };
                let off = error(value, right).abs();
                if value.is_finite() && off.is_finite() {
                    own.0 = own.0.max(off);
                    own.1 = own.1.max(off / spacing(rule.elem, right[0]));
                }
            }
        }
        Self { rule, exact, own }
    }

    /// Whether `actual` may stand where the reference has `expected`.
    pub fn accepts(&self, index: usize, expected: u64, actual: u64) -> bool {
        if expected == actual {
            return true;
        }
        let elem = self.rule.elem;
        match self.rule.same {
            Same::Bits => false,
            Same::Ignore => true,
            Same::Mod { q, lo, hi } => {
                let (e, a) = (integer(elem, expected), integer(elem, actual));
                (i128::from(lo)..=i128::from(hi)).contains(&a)
                    && (a - e).rem_euclid(i128::from(q)) == 0
            }
            Same::Near(near) => self.near(&near, index, expected, actual),
        }
    }

    fn near(&self, near: &Near, index: usize, expected: u64, actual: u64) -> bool {
        let elem = self.rule.elem;
        let seen = |bits| {
            let value = float(elem, bits);
            let smallest =
                if elem == CType::F32 { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
            if near.subnormal && value.abs() < smallest { 0f64.copysign(value) } else { value }
        };
        let (e, a) = (seen(expected), seen(actual));
        if e.is_nan() || a.is_nan() {
            return near.nan && e.is_nan() && a.is_nan();
        }
        if e == 0.0 && a == 0.0 {
            return near.zero || e.is_sign_negative() == a.is_sign_negative();
        }
        if (e.is_infinite() || a.is_infinite()) && !near.infinity {
            return false;
        }
        // Where an infinity stands for the value after the largest, that of `double` has no
        // `double`: everything is halved.
        let half = |x: f64| match (x.is_infinite(), elem) {
            (false, _) => x / 2.0,
            (true, CType::F32) => 2f64.powi(127).copysign(x),
            (true, _) => 2f64.powi(1023).copysign(x),
        };
        let off = (half(a) - half(e)).abs();
        let within = |bound: Option<f64>| bound.is_some_and(|b| off <= b / 2.0);
        e == a
            || within(near.abs)
            || within(near.rel.map(|rel| rel * 2.0 * half(e).abs()))
            || near.ulp.is_some_and(|most| steps(elem, expected, actual) <= most)
            || near.times.is_some_and(|times| self.as_exact(times, index, actual))
    }

    /// Whether the error is at most so many times the reference's largest, both as such and in
    /// units of the last place. The reference may be right by luck: it counts as half a unit off at
    /// least.
    fn as_exact(&self, times: f64, index: usize, actual: u64) -> bool {
        let Some(&exact) = self.exact.and_then(|all| all.get(index)) else { return false };
        let off = error(float(self.rule.elem, actual), exact).abs();
        let unit = spacing(self.rule.elem, exact[0]);
        off.is_finite()
            && off <= times * self.own.0.max(unit / 2.0)
            && off / unit <= times * self.own.1.max(0.5)
    }

    /// The first element of a row that is not accepted. `first` is the row's first index.
    pub fn first_wrong(&self, first: usize, expected: &[u8], actual: &[u8]) -> Option<usize> {
        if expected == actual {
            return None;
        }
        let size = self.rule.elem.size().max(1) as usize;
        let both = expected.chunks(size).zip(actual.chunks(size));
        both.enumerate()
            .find(|(i, (e, a))| e != a && !self.accepts(first + i, bits(e), bits(a)))
            .map(|(i, _)| i)
    }

    /// What is wrong with an element, for people.
    pub fn explain(&self, index: usize, expected: u64, actual: u64) -> Option<String> {
        let elem = self.rule.elem;
        if let Same::Mod { q, lo, hi } = self.rule.same {
            let (e, a) = (integer(elem, expected), integer(elem, actual));
            return Some(match (i128::from(lo)..=i128::from(hi)).contains(&a) {
                true => format!("{a} instead of {e}, which is another residue modulo {q}"),
                false => format!("{a} is not within {lo} to {hi}"),
            });
        }
        if !elem.is_float() {
            return None;
        }
        let (e, a) = (float(elem, expected), float(elem, actual));
        let pair = format!("{} instead of {}", shown(elem, actual), shown(elem, expected));
        if !e.is_finite() || !a.is_finite() {
            return Some(pair);
        }
        let mut text =
            format!("{pair}: {} ULP apart, {:.3e}", steps(elem, expected, actual), a - e);
        if let Some(&exact) = self.exact.and_then(|all| all.get(index)) {
            let unit = spacing(elem, exact[0]);
            let of = |x| error(x, exact) / unit;
            text += &format!("; against the exact value {:.3} and {:.3} ULP", of(a), of(e));
            text += &format!(", the reference's largest is {:.3}", self.own.1);
        }
        Some(text)
    }
}

/// A floating-point value with as many digits as tell it from its neighbours; NaN with its bits.
fn shown(elem: CType, bits: u64) -> String {
    let value = float(elem, bits);
    match elem {
        _ if value.is_nan() => format!("NaN ({bits:#x})"),
        CType::F32 => format!("{:e}", f32::from_bits(bits as u32)),
        _ => format!("{value:e}"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn accepts(near: Near, elem: CType, expected: f64, actual: f64) -> bool {
        let of = |x: f64| match elem {
            CType::F32 => u64::from((x as f32).to_bits()),
            _ => x.to_bits(),
        };
        let rule = Rule { elem, same: Same::Near(near) };
        Judge::new(rule, None, std::iter::empty()).accepts(0, of(expected), of(actual))
    }

    const BOTH: [CType; 2] = [CType::F32, CType::F64];
    const STRICT: Near = Near {
        abs: Some(1e9),
        rel: Some(1e9),
        ulp: None,
        times: None,
        nan: false,
        zero: false,
        subnormal: false,
        infinity: false,
    };

    #[test]
    fn special_values_are_strict_unless_a_policy_says_otherwise() {
        let nan = f64::NAN;
        let (inf, max) = (f64::INFINITY, f64::from(f32::MAX));
        for elem in BOTH {
            assert!(accepts(STRICT, elem, 0.0, 5.0), "the bounds are wide");
            assert!(!accepts(STRICT, elem, nan, -nan));
            assert!(!accepts(STRICT, elem, 0.0, -0.0));
            assert!(!accepts(STRICT, elem, inf, max) && !accepts(STRICT, elem, max, inf));
            assert!(!accepts(STRICT, elem, inf, -inf) && !accepts(STRICT, elem, 0.0, nan));
            assert!(accepts(STRICT, elem, inf, inf) && accepts(STRICT, elem, nan, nan));
            let lax = Near { nan: true, zero: true, infinity: true, ..STRICT };
            assert!(accepts(lax, elem, nan, -nan) && accepts(lax, elem, -0.0, 0.0));
            assert!(!accepts(lax, elem, 1.0, nan) && !accepts(lax, elem, nan, 1.0));
        }
    }

    #[test]
    fn an_infinity_may_stand_for_the_value_after_the_largest() {
        for (elem, max) in [(CType::F32, f64::from(f32::MAX)), (CType::F64, f64::MAX)] {
            let near = Near { ulp: Some(1), infinity: true, ..Near::default() };
            assert!(accepts(near, elem, max, f64::INFINITY));
            assert!(accepts(near, elem, -f64::INFINITY, -max));
            assert!(!accepts(near, elem, max / 2.0, f64::INFINITY));
            let rel = Near { rel: Some(1e-6), infinity: true, ..Near::default() };
            assert!(accepts(rel, elem, f64::INFINITY, max));
            assert!(!accepts(rel, elem, f64::INFINITY, max * 0.999));
            assert!(!accepts(rel, elem, f64::INFINITY, -f64::INFINITY));
        }
    }

    #[test]
    fn subnormal_values_may_be_flushed_with_their_sign() {
        for (elem, tiny) in [(CType::F32, f64::from(f32::MIN_POSITIVE) / 4.0), (CType::F64, 1e-310)]
        {
            let strict = Near { rel: Some(1e-6), ..Near::default() };
            let flush = Near { subnormal: true, ..strict };
            assert!(!accepts(strict, elem, tiny, 0.0) && accepts(flush, elem, tiny, 0.0));
            assert!(accepts(flush, elem, -tiny, -0.0) && !accepts(flush, elem, -tiny, 0.0));
            assert!(accepts(Near { zero: true, ..flush }, elem, -tiny, 0.0));
            assert!(!accepts(flush, elem, 1.0, 0.0));
        }
    }

    #[test]
    fn any_bound_suffices_and_none_means_equal() {
        let none = Near { zero: true, ..Near::default() };
        let near = |abs, rel, ulp| Near { abs, rel, ulp, ..Near::default() };
        for elem in BOTH {
            assert!(!accepts(none, elem, 1.0, 1.0000002) && accepts(none, elem, 0.0, -0.0));
            let least = if elem == CType::F32 { f64::from(f32::from_bits(1)) } else { 5e-324 };
            assert!(
                !accepts(none, elem, 0.0, least) && !accepts(none, elem, 3.0 * least, 4.0 * least)
            );
            assert!(accepts(near(Some(0.5), None, None), elem, 100.0, 100.5));
            assert!(!accepts(near(Some(0.5), None, None), elem, 100.0, 100.625));
            assert!(accepts(near(None, Some(0.01), None), elem, -100.0, -100.5));
            assert!(!accepts(near(None, Some(0.01), None), elem, -100.0, -102.0));
            assert!(accepts(near(Some(1e-9), Some(0.01), None), elem, 0.0, 1e-10));
            assert!(accepts(near(None, None, Some(2)), elem, 0.0, -0.0f64.next_down()));
        }
        let two = near(None, None, Some(2));
        let after = |n: u32| f64::from(f32::from_bits(1f32.to_bits() + n));
        assert!(
            accepts(two, CType::F32, 1.0, after(2)) && !accepts(two, CType::F32, 1.0, after(3))
        );
    }

    #[test]
    fn congruent_values_within_the_range_are_the_same() {
        let rule = Rule { elem: CType::Int(2), same: Same::Mod { q: 3329, lo: -6658, hi: 6658 } };
        let judge = Judge::new(rule, None, std::iter::empty());
        let says = |e: i16, a: i16| judge.accepts(0, u64::from(e as u16), u64::from(a as u16));
        assert!(says(5, 5 - 3329) && says(-3329, 0) && says(-1, 3328) && says(0, 6658));
        assert!(!says(5, 6) && !says(5, 5 - 3328) && !says(0, 9987), "another residue, or too far");
        let message = judge.explain(0, 0, 9987).unwrap();
        assert_eq!(message, "9987 is not within -6658 to 6658");
        let wide = Rule { elem: CType::Uint(8), same: Same::Mod { q: 7, lo: 0, hi: i64::MAX } };
        assert!(!Judge::new(wide, None, std::iter::empty()).accepts(0, 3, u64::MAX - 1));
    }

    #[test]
    fn an_error_is_held_against_the_references_own() {
        let rule = Rule {
            elem: CType::F32,
            same: Same::Near(Near { times: Some(2.0), ..Near::default() }),
        };
        let at = |n: u32| u64::from(1f32.to_bits() + n);
        let exact = [[1.0, 0.0], [1.0, 0.0]];
        // The reference is off by 3 units at its second element.
        let own = [(0, at(0)), (1, at(3))].into_iter();
        let judge = Judge::new(rule, Some(&exact), own);
        assert!(judge.accepts(0, at(0), at(6)) && !judge.accepts(0, at(0), at(7)));
        // One that is right everywhere counts as half a unit off.
        let judge = Judge::new(rule, Some(&exact), [(0, at(0))].into_iter());
        assert!(judge.accepts(0, at(0), at(1)) && !judge.accepts(0, at(0), at(2)));
        let half = [[1.0 + 2f64.powi(-24), 0.0]];
        let judge = Judge::new(rule, Some(&half), [(0, at(0))].into_iter());
        assert!(judge.accepts(0, at(0), at(1)), "both are half a unit off");
    }

    #[test]
    fn an_error_is_held_against_it_as_such_and_in_units() {
        let same = Same::Near(Near { times: Some(2.0), ..Near::default() });
        let rule = Rule { elem: CType::F32, same };
        let exact = [[1.0, 0.0], [1024.0, 0.0]];
        let at = |x: f32, n: u32| u64::from(x.to_bits() + n);
        // 3 units of 1 are less than half a unit of 1024.
        let judge = Judge::new(rule, Some(&exact), [(0, at(1.0, 3))].into_iter());
        assert!(judge.accepts(1, at(1024.0, 0), at(1024.0, 1)));
        assert!(!judge.accepts(1, at(1024.0, 0), at(1024.0, 2)));
        // 3 units of 1024 are thousands of units of 1.
        let judge = Judge::new(rule, Some(&exact), [(1, at(1024.0, 3))].into_iter());
        assert!(judge.accepts(0, at(1.0, 0), at(1.0, 6)));
        assert!(!judge.accepts(0, at(1.0, 0), at(1.0, 10)));
    }

    #[test]
    fn residues_are_of_signed_values_in_every_width() {
        for (bytes, kept) in [(1, 0xFF), (2, 0xFFFF), (4, 0xFFFF_FFFF), (8, u64::MAX)] {
            let same = Same::Mod { q: 7, lo: -10, hi: 10 };
            let rule = Rule { elem: CType::Int(bytes), same };
            let judge = Judge::new(rule, None, std::iter::empty());
            let says = |e: i64, a: i64| judge.accepts(0, (e as u64) & kept, (a as u64) & kept);
            assert!(says(-3, 4) && says(4, -3), "{bytes} bytes");
            assert!(!says(-3, 3) && !says(-3, -17), "{bytes} bytes");
        }
    }

    #[test]
    fn a_policy_does_not_reach_beyond_what_it_names() {
        let policies = Near { nan: true, subnormal: true, infinity: true, ..Near::default() };
        let lax = Near { ulp: Some(1), ..policies };
        let smallest = [f64::from(f32::MIN_POSITIVE), f64::MIN_POSITIVE];
        for (elem, smallest) in BOTH.into_iter().zip(smallest) {
            assert!(!accepts(lax, elem, smallest, 0.0), "it is no subnormal");
        }
        // The bits after those of an infinity are a NaN's.
        let rule = Rule { elem: CType::F32, same: Same::Near(lax) };
        let judge = Judge::new(rule, None, std::iter::empty());
        let infinity = u64::from(f32::INFINITY.to_bits());
        assert!(judge.accepts(0, infinity, infinity - 1));
        assert!(!judge.accepts(0, infinity, infinity + 1));
    }

    #[test]
    fn steps_lead_through_zero() {
        for elem in BOTH {
            let sign = 1u64 << (8 * elem.size() - 1);
            assert_eq!((steps(elem, 3, sign | 2), steps(elem, sign, 0)), (5, 0));
        }
    }

    #[test]
    fn doubles_have_a_spacing_of_their_own() {
        let of = |x: f64| spacing(CType::F64, x);
        assert_eq!((of(1.0), of(-2.0)), (f64::EPSILON, 2.0 * f64::EPSILON));
        assert_eq!(of(f64::INFINITY), of(f64::MAX));
        // What one `double` can't hold of an exact value counts, too.
        assert_eq!(error(1.0 + f64::EPSILON, [1.0, f64::EPSILON]), 0.0);
    }

    proptest! {
        #[test]
        fn spacing_is_the_distance_to_the_next_value(x in -1e30f32..1e30) {
            let next = f64::from(x.abs().next_up()) - f64::from(x.abs());
            prop_assert_eq!(spacing(CType::F32, f64::from(x)), next);
        }

        #[test]
        fn steps_count_values(x in any::<u32>(), n in 0u32..1000) {
            let a = f32::from_bits(x & 0x7F00_0000);
            let b = f32::from_bits(a.to_bits() + n);
            let of = |x: f32| u64::from(x.to_bits());
            prop_assert_eq!(steps(CType::F32, of(a), of(b)), u64::from(n));
            prop_assert_eq!(steps(CType::F32, of(-b), of(-a)), u64::from(n));
        }
    }
}
