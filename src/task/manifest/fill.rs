//! `fill`: how a buffer's content is made.

use std::path::Path;

use toml::Spanned;

use super::loose::{Loose, Table};
use super::report::Report;
use super::value::{int, number, only, pair};
use crate::task::model::Fill;
use crate::task::prototype::CType;
use crate::task::vocabulary::{GENERATORS, generator, makes, suggest};

/// How a buffer of this element type is filled. Own generators must exist in `gen/`.
pub(super) fn fill(
    dir: &Path,
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
    dir: &Path,
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
