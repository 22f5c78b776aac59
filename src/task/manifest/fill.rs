//! `fill`: how a buffer's content is made.

use toml::Spanned;

use super::buffer::Context;
use super::loose::{Loose, Table};
use super::own;
use super::report::Report;
use super::value::{int, number, only, pair};
use crate::task::model::{Buffer, Fill, Role};
use crate::task::own::file;
use crate::task::prototype::CType;
use crate::task::vocabulary::{GENERATORS, generator, makes, suggest};

/// How a buffer of this element type is filled. Own generators must exist in `gen/`.
pub(super) fn fill(
    context: &Context,
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
        Loose::List(list) if !list.is_empty() => {
            let all = list.iter().map(|v| fill(context, v, elem, report)).collect::<Option<_>>();
            return all.map(Fill::Any);
        }
        Loose::Table(table) => table,
        other => {
            return report.bad(value.span(), format!("{} is no fill", other.kind()), FILL_HELP);
        }
    };
    if let Some(of) = table.get("twins") {
        only(table, &["twins"], report)?;
        return twins(context, of, elem, report);
    }
    if let Some((key, other)) =
        ["above", "below"].into_iter().find_map(|k| Some((k, table.get(k)?)))
    {
        return beside(table, key, other, report);
    }
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
            generated(context, table, &Spanned::new(span, name.clone()), elem, report)
        }
        Some((span, _)) => report.bad(span, "the name of a generator is a string", FILL_HELP),
        None => {
            only(table, &["int", "float", "gen", "twins", "above", "below"], report)?;
            report.bad(value.span(), "this fill says nothing", FILL_HELP)
        }
    }
}

const FILL_HELP: &str = "a fill is \"bytes\", { int = [lo, hi] }, { float = [lo, hi] }, \
    { gen = \"name\" }, { twins = fill }, { above = \"buffer\" }, { below = \"buffer\" }, or a list \
    of fills";

/// Near-duplicates of a base: only where each element stands for itself.
fn twins(context: &Context, of: &Spanned<Loose>, elem: CType, report: &mut Report) -> Option<Fill> {
    const PLAIN: [&str; 8] = ["zeros", "ones", "edges", "ramp", "sparse", "runs", "mask", "floats"];
    let base = fill(context, of, elem, report)?;
    match &base {
        Fill::Bytes | Fill::Int { .. } | Fill::Float { .. } => {}
        Fill::Gen { name, .. } if PLAIN.contains(&name.as_str()) => {}
        _ => {
            let message =
                "elements of this fill depend on each other, so that none can be replaced";
            return report.bad(of.span(), message, "use \"bytes\", { int = … } or { float = … }");
        }
    }
    Some(Fill::Twins(Box::new(base)))
}

/// Content that another buffer bounds; which one is checked when all are known.
fn beside(table: &Table, key: &str, other: &Spanned<Loose>, report: &mut Report) -> Option<Fill> {
    only(table, &[key, "by"], report)?;
    let Loose::Text(name) = other.get_ref() else {
        return report.bad(other.span(), format!("`{key}` names a buffer"), FILL_HELP);
    };
    let by = match table.get("by") {
        None => None,
        Some(v) => match pair(v, number, report)? {
            (lo, hi) if lo >= 0.0 => Some((lo, hi)),
            _ => return report.bad(v.span(), "a distance is 0 or more", "such as by = [0, 10]"),
        },
    };
    Some(Fill::Beside { other: name.clone(), above: key == "above", by })
}

/// Whether a fill that follows another buffer can: that one must have content of its own, of the
/// same type and extent. `index` is the buffer's own.
pub(super) fn follows(
    at: std::ops::Range<usize>,
    fill: &Fill,
    index: usize,
    buffers: &[Buffer],
    report: &mut Report,
) {
    let all = match fill {
        Fill::Any(all) => all.as_slice(),
        one => std::slice::from_ref(one),
    };
    for one in all {
        let Fill::Beside { other, .. } = one else { continue };
        if matches!(fill, Fill::Any(_)) {
            let message = "a fill that follows another buffer can't be one of a list";
            return report.note(at, message, "let it be the buffer's only fill");
        }
        let own = &buffers[index];
        let Some(other) = buffers.iter().find(|b| b.name == *other) else {
            let help = suggest(other, buffers.iter().map(|b| b.name.as_str()));
            return report.note(at, format!("there is no buffer `{other}`"), help);
        };
        let shape = |b: &Buffer| (b.elem, b.rows.clone(), b.cols.clone(), b.stride.clone());
        if !matches!(other.role, Role::In | Role::InOut)
            || matches!(other.fill, Fill::Beside { .. })
        {
            let message = format!("`{}` has no content of its own to follow", other.name);
            return report.note(at, message, "name an `in` or `inout` buffer with another fill");
        }
        if shape(own) != shape(other) {
            let message = format!("`{}` has another type or extent", other.name);
            return report.note(at, message, "both need the same rows, columns and stride");
        }
    }
}

const OPTION: &str = "an option is a number or a list of numbers";

fn generated(
    context: &Context,
    table: &Table,
    name: &Spanned<String>,
    elem: CType,
    report: &mut Report,
) -> Option<Fill> {
    let mut options = Vec::new();
    let word = name.get_ref();
    let Some(allowed) = generator(word) else {
        let own = word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && context.dir.join(file(word)).is_file();
        if own {
            let mut options = own::Options::new();
            for (key, value) in table.iter().filter(|(k, _)| k.get_ref() != "gen") {
                match own::numbers(value.get_ref()) {
                    Some(numbers) => options.push((key.clone(), numbers)),
                    None => report.note(value.span(), OPTION, FILL_HELP),
                }
            }
            return own::own(name, options, elem, context, report);
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
        let numbers = own::numbers(value.get_ref());
        match numbers {
            Some(numbers) => options.push((key.get_ref().clone(), numbers)),
            None => report.note(value.span(), OPTION, FILL_HELP),
        }
    }
    Some(Fill::Gen { name: word.clone(), options })
}
