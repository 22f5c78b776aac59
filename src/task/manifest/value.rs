//! Turns values of several allowed shapes into the model's types.

use toml::Spanned;

use super::loose::{Loose, Table};
use super::report::Report;
use crate::task::expression::Expr;
use crate::task::model::{Draw, Fill, Same};
use crate::task::prototype::CType;
use crate::task::vocabulary::{GENERATORS, generator, makes, suggest};

/// A string or a list of strings.
pub(super) fn strings(value: &Spanned<Loose>, report: &mut Report) -> Option<Vec<Spanned<String>>> {
    let text = |v: &Spanned<Loose>, report: &mut Report| match v.get_ref() {
        Loose::Text(t) => Some(Spanned::new(v.span(), t.clone())),
        other => report.bad(
            v.span(),
            format!("{} where a string should be", other.kind()),
            "write it in quotes",
        ),
    };
    match value.get_ref() {
        Loose::List(list) => list.iter().map(|v| text(v, report)).collect(),
        _ => Some(vec![text(value, report)?]),
    }
}

/// An expression: an integer or a string.
pub(super) fn expression(value: &Spanned<Loose>, report: &mut Report) -> Option<Expr> {
    match value.get_ref() {
        Loose::Int(v) => Some(Expr::Const(*v)),
        Loose::Text(text) => {
            let string = Spanned::new(value.span(), text.clone());
            parse(&string, 0..text.len(), report)
        }
        other => report.bad(
            value.span(),
            format!("{} where an expression should be", other.kind()),
            "write an integer, or a string such as \"2 * n + 1\"",
        ),
    }
}

/// Parses a part of a string as an expression.
pub(super) fn parse(
    string: &Spanned<String>,
    part: std::ops::Range<usize>,
    report: &mut Report,
) -> Option<Expr> {
    let text = &string.get_ref()[part.clone()];
    Expr::parse(text)
        .map_err(|e| {
            let at = part.start + e.offset;
            let next = string.get_ref()[at..].chars().next().map_or(0, char::len_utf8);
            let span = report.inside(string, at..at + next);
            let help = "expressions have integers, names, + - * / %, min(a, b), max(a, b), ( )";
            report.note(span, e.message, help);
        })
        .ok()
}

/// Complains about keys of a table that are none of those known.
fn only(table: &Table, known: &[&str], report: &mut Report) -> Option<()> {
    let mut fine = Some(());
    for key in table.keys().filter(|k| !known.contains(&k.get_ref().as_str())) {
        let help = suggest(key.get_ref(), known.iter().copied());
        fine = report.bad(key.span(), format!("unknown key `{}`", key.get_ref()), help);
    }
    fine
}

/// A pair of numbers, the first not above the second.
fn pair<T: Copy + PartialOrd>(
    value: &Spanned<Loose>,
    number: impl Fn(&Loose) -> Option<T>,
    report: &mut Report,
) -> Option<(T, T)> {
    let numbers = match value.get_ref() {
        Loose::List(list) => list.iter().map(|v| number(v.get_ref())).collect::<Option<Vec<T>>>(),
        _ => None,
    };
    match numbers.as_deref() {
        Some([lo, hi]) if lo <= hi => Some((*lo, *hi)),
        Some([_, _]) => report.bad(value.span(), "the lowest is above the highest", "swap them"),
        _ => report.bad(value.span(), "expected two numbers", "write [lowest, highest]"),
    }
}

fn int(value: &Loose) -> Option<i64> {
    match value {
        Loose::Int(v) => Some(*v),
        _ => None,
    }
}

/// An integer or a finite float.
pub(super) fn number(value: &Loose) -> Option<f64> {
    match value {
        Loose::Int(v) => Some(*v as f64),
        Loose::Float(v) if v.is_finite() => Some(*v),
        _ => None,
    }
}

/// A draw.
pub(super) fn draw(value: &Spanned<Loose>, report: &mut Report) -> Option<Draw> {
    match value.get_ref() {
        Loose::Int(v) => Some(Draw::Choices(vec![*v])),
        Loose::Text(_) => Some(Draw::Expr(expression(value, report)?)),
        Loose::List(list) => {
            let choices: Option<Vec<i64>> = list.iter().map(|v| int(v.get_ref())).collect();
            match choices {
                Some(choices) if !choices.is_empty() => Some(Draw::Choices(choices)),
                Some(_) => report.bad(value.span(), "there is nothing to choose from", DRAW_HELP),
                None => report.bad(value.span(), "choices are integers", DRAW_HELP),
            }
        }
        Loose::Table(table) if table.get("log").is_some() => {
            only(table, &["log"], report)?;
            let bounds = table.get("log")?;
            let (from, to) = pair(bounds, int, report)?;
            match from {
                1.. => Some(Draw::Log { from, to }),
                _ => report.bad(
                    bounds.span(),
                    "a logarithm needs a lowest value of 1 or more",
                    DRAW_HELP,
                ),
            }
        }
        Loose::Table(table) => {
            only(table, &["from", "to", "log"], report)?;
            let mut bound = |key: &str| match table.get(key).map(|v| (v.span(), int(v.get_ref()))) {
                Some((_, Some(v))) => Some(v),
                Some((span, None)) => report.bad(span, format!("`{key}` is an integer"), DRAW_HELP),
                None => report.bad(value.span(), format!("`{key}` is missing"), DRAW_HELP),
            };
            let (from, to) = (bound("from"), bound("to"));
            match (from?, to?) {
                (from, to) if from <= to => Some(Draw::Range { from, to }),
                _ => report.bad(value.span(), "`from` is above `to`", "swap them"),
            }
        }
        other => report.bad(value.span(), format!("{} is no draw", other.kind()), DRAW_HELP),
    }
}

const DRAW_HELP: &str =
    "a draw is a list [1, 2, 3], { from = 0, to = 9 }, { log = [1, 4096] } or \"an expression\"";

/// How a buffer of this element type is filled. Own generators must exist in `gen/`.
pub(super) fn fill(
    dir: &std::path::Path,
    value: &Spanned<Loose>,
    elem: CType,
    report: &mut Report,
) -> Option<Fill> {
    let table = match value.get_ref() {
        Loose::Text(word) if word == "bytes" => return Some(Fill::Bytes),
        Loose::Text(word) => {
            let help = match generator(word) {
                Some(_) => format!("write {{ gen = \"{word}\" }}"),
                None => FILL_HELP.into(),
            };
            return report.bad(value.span(), format!("`{word}` is no fill"), help);
        }
        Loose::Table(table) => table,
        other => {
            return report.bad(value.span(), format!("{} is no fill", other.kind()), FILL_HELP);
        }
    };
    if let Some(bounds) = table.get("int") {
        only(table, &["int"], report)?;
        let (lo, hi) = pair(bounds, int, report)?;
        return match elem.range() {
            Some(range) if range.contains(&lo) && range.contains(&hi) => Some(Fill::Int { lo, hi }),
            Some(range) => {
                let help = format!("it holds {} to {}", range.start(), range.end());
                report.bad(bounds.span(), format!("an element is `{elem}`"), help)
            }
            None => report.bad(
                value.span(),
                format!("an element is `{elem}`"),
                "use { float = [lo, hi] }",
            ),
        };
    }
    if let Some(bounds) = table.get("float") {
        only(table, &["float", "special"], report)?;
        let (lo, hi) = pair(bounds, number, report)?;
        let special = match table.get("special") {
            None => 0.0,
            Some(p) => match number(p.get_ref()) {
                Some(v) if (0.0..=1.0).contains(&v) => v,
                _ => {
                    return report.bad(
                        p.span(),
                        "a probability is between 0 and 1",
                        "write special = 0.1",
                    );
                }
            },
        };
        return match elem.is_float() {
            true => Some(Fill::Float { lo, hi, special }),
            false => report.bad(
                value.span(),
                format!("an element is `{elem}`"),
                "use { int = [lo, hi] }",
            ),
        };
    }
    match table.get("gen").map(|name| (name.span(), name.get_ref())) {
        Some((span, Loose::Text(name))) => {
            generated(dir, table, &Spanned::new(span, name.clone()), elem, report)
        }
        Some((span, _)) => report.bad(span, "the name of a generator is a string", FILL_HELP),
        None => {
            only(table, &["int", "float", "gen"], report)?;
            report.bad(value.span(), "this fill says nothing", FILL_HELP)
        }
    }
}

const FILL_HELP: &str =
    "a fill is \"bytes\", { int = [lo, hi] }, { float = [lo, hi] } or { gen = \"name\" }";

fn generated(
    dir: &std::path::Path,
    table: &Table,
    name: &Spanned<String>,
    elem: CType,
    report: &mut Report,
) -> Option<Fill> {
    let mut options = Vec::new();
    let word = name.get_ref();
    let Some(allowed) = generator(word) else {
        let own = word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && dir.join(format!("gen/{word}.c")).is_file();
        if own {
            report.unsupported(name.span(), "generators of a task's own", "use a built-in one");
            return None;
        }
        let help = suggest(word, GENERATORS.iter().map(|(n, _)| *n));
        return report.bad(name.span(), format!("there is no generator `{word}`"), help);
    };
    if !makes(word, elem) {
        let known = GENERATORS.iter().map(|(n, _)| *n).filter(|n| makes(n, elem));
        let help = format!("for this type there are: {}", known.collect::<Vec<_>>().join(", "));
        report.note(name.span(), format!("`{word}` makes no elements of type `{elem}`"), help);
    }
    for (key, value) in table.iter().filter(|(k, _)| k.get_ref() != "gen") {
        if !allowed.contains(&key.get_ref().as_str()) {
            let message = format!("generator `{word}` has no option `{}`", key.get_ref());
            let help = suggest(key.get_ref(), allowed.iter().copied());
            report.note(key.span(), message, help);
            continue;
        }
        let numbers: Option<Vec<f64>> = match value.get_ref() {
            Loose::List(list) => list.iter().map(|v| number(v.get_ref())).collect(),
            one => number(one).map(|v| vec![v]),
        };
        match numbers {
            Some(numbers) => options.push((key.get_ref().clone(), numbers)),
            None => {
                report.note(value.span(), "an option is a number or a list of numbers", FILL_HELP)
            }
        }
    }
    Some(Fill::Gen { name: word.clone(), options })
}

/// How an output is compared.
pub(super) fn same(value: &Spanned<Loose>, elem: CType, report: &mut Report) -> Option<Same> {
    let table = match value.get_ref() {
        Loose::Text(word) => {
            let word = Spanned::new(value.span(), word.clone());
            return report.choice(&word, &[("bits", Same::Bits), ("ignore", Same::Ignore)]);
        }
        Loose::Table(table) => table,
        other => {
            return report.bad(
                value.span(),
                format!("{} can't say how to compare", other.kind()),
                SAME_HELP,
            );
        }
    };
    if let Some(modulus) = table.get("mod") {
        only(table, &["mod", "within"], report)?;
        let q = match int(modulus.get_ref()) {
            Some(q) if q >= 2 => q,
            _ => {
                return report.bad(
                    modulus.span(),
                    "a modulus is an integer of 2 or more",
                    SAME_HELP,
                );
            }
        };
        let Some(within) = table.get("within") else {
            return report.bad(
                value.span(),
                "`within` is missing",
                "bound the values: within = [lo, hi]",
            );
        };
        let (lo, hi) = pair(within, int, report)?;
        if elem.range().is_none() {
            return report.bad(
                value.span(),
                format!("an element is `{elem}`"),
                "use abs, rel or ulp",
            );
        }
        report.unsupported(value.span(), "comparing modulo a number", "compare bits for now");
        return Some(Same::Mod { q, lo, hi });
    }
    only(table, &["abs", "rel", "ulp", "nan", "zero"], report)?;
    if !elem.is_float() {
        return report.bad(
            value.span(),
            format!("an element is `{elem}`, which has no tolerance"),
            SAME_HELP,
        );
    }
    let mut bound = |key: &str| match table.get(key).map(|v| (v.span(), number(v.get_ref()))) {
        None => Some(None),
        Some((_, Some(v))) if v >= 0.0 => Some(Some(v)),
        Some((span, _)) => report.bad(span, format!("`{key}` is a number of 0 or more"), SAME_HELP),
    };
    let (abs, rel, ulp) = (bound("abs"), bound("rel"), bound("ulp"));
    let mut flag = |key: &str| match table.get(key).map(|v| (v.span(), v.get_ref())) {
        None => Some(false),
        Some((_, Loose::Bool(v))) => Some(*v),
        Some((span, _)) => report.bad(span, format!("`{key}` is true or false"), SAME_HELP),
    };
    let (nan, zero) = (flag("nan"), flag("zero"));
    let near =
        Same::Near { abs: abs?, rel: rel?, ulp: ulp?.map(|v| v as u64), nan: nan?, zero: zero? };
    report.unsupported(value.span(), "comparing within a tolerance", "compare bits for now");
    Some(near)
}

const SAME_HELP: &str = "\"bits\", \"ignore\", { mod = q, within = [lo, hi] }, \
    or { abs = …, rel = …, ulp = …, nan = true, zero = true }";
