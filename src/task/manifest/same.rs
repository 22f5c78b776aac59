//! `same`: when two values of an output are the same.

use toml::Spanned;

use super::loose::{Loose, Table};
use super::report::Report;
use super::value::{int, number, only, pair};
use crate::task::prototype::CType;
use crate::task::same::{Near, Same};

/// How an output is compared. `exact`: the function has an oracle for exact values.
pub(super) fn same(
    value: &Spanned<Loose>,
    elem: CType,
    exact: bool,
    report: &mut Report,
) -> Option<Same> {
    let table = match value.get_ref() {
        Loose::Text(word) => {
            let word = Spanned::new(value.span(), word.clone());
            return report.choice(&word, &[("bits", Same::Bits), ("ignore", Same::Ignore)]);
        }
        Loose::Table(table) => table,
        other => {
            let message = format!("{} can't say how to compare", other.kind());
            return report.bad(value.span(), message, SAME_HELP);
        }
    };
    match table.get("mod") {
        Some(modulus) => congruent(value, table, modulus, elem, report),
        None => near(value, table, elem, exact, report).map(Same::Near),
    }
}

fn congruent(
    value: &Spanned<Loose>,
    table: &Table,
    modulus: &Spanned<Loose>,
    elem: CType,
    report: &mut Report,
) -> Option<Same> {
    only(table, &["mod", "within"], report)?;
    let q = match int(modulus.get_ref()) {
        Some(q) if q >= 2 => q,
        _ => {
            let message = "a modulus is an integer of 2 or more";
            return report.bad(modulus.span(), message, SAME_HELP);
        }
    };
    let Some(within) = table.get("within") else {
        let help = "bound the values: within = [lo, hi]";
        return report.bad(value.span(), "`within` is missing", help);
    };
    let (lo, hi) = pair(within, int, report)?;
    if elem.range().is_none() {
        return report.bad(value.span(), format!("an element is `{elem}`"), "use abs, rel or ulp");
    }
    Some(Same::Mod { q, lo, hi })
}

fn near(
    value: &Spanned<Loose>,
    table: &Table,
    elem: CType,
    exact: bool,
    report: &mut Report,
) -> Option<Near> {
    const BOUNDS: [&str; 4] = ["abs", "rel", "ulp", "times"];
    const POLICIES: [&str; 4] = ["nan", "zero", "subnormal", "infinity"];
    only(table, &[BOUNDS, POLICIES].concat(), report)?;
    if !elem.is_float() {
        let message = format!("an element is `{elem}`, which has no tolerance");
        return report.bad(value.span(), message, SAME_HELP);
    }
    let mut bound = |key: &str| match table.get(key).map(|v| (v.span(), number(v.get_ref()))) {
        None => Some(None),
        Some((_, Some(v))) if v >= 0.0 => Some(Some(v)),
        Some((span, _)) => report.bad(span, format!("`{key}` is a number of 0 or more"), SAME_HELP),
    };
    let [abs, rel, ulp, times] = BOUNDS.map(&mut bound);
    if let (Some(t), Some(Some(v))) = (table.get("times"), times) {
        if v < 1.0 {
            let help = "1 asks for errors no larger than the reference's";
            return report.bad(t.span(), "`times` is a number of 1 or more", help);
        }
        if !exact {
            let help = "add exact = \"NAME\" to the function, and gen/NAME.c";
            return report.bad(t.span(), "nothing says what the exact values are", help);
        }
    }
    let ulp = match (table.get("ulp"), ulp?) {
        (_, None) => None,
        (_, Some(v)) if v.fract() == 0.0 && v < 1e15 => Some(v as u64),
        (Some(v), _) => return report.bad(v.span(), "`ulp` counts whole steps", "such as ulp = 4"),
        (None, _) => None,
    };
    let mut flag = |key: &str| match table.get(key).map(|v| (v.span(), v.get_ref())) {
        None => Some(false),
        Some((_, Loose::Bool(v))) => Some(*v),
        Some((span, _)) => report.bad(span, format!("`{key}` is true or false"), SAME_HELP),
    };
    let [nan, zero, subnormal, infinity] = POLICIES.map(&mut flag);
    Some(Near {
        abs: abs?,
        rel: rel?,
        ulp,
        times: times?,
        nan: nan?,
        zero: zero?,
        subnormal: subnormal?,
        infinity: infinity?,
    })
}

const SAME_HELP: &str = "\"bits\", \"ignore\", { mod = q, within = [lo, hi] }, or bounds and \
    policies: { abs = …, rel = …, ulp = …, times = …, nan = true, zero = true, subnormal = true, \
    infinity = true }";
