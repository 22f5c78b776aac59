//! Turns values of several allowed shapes into the model's types.

use toml::Spanned;

use super::loose::{Loose, Table};
use super::report::Report;
use crate::task::expression::Expr;
use crate::task::model::Draw;
use crate::task::vocabulary::suggest;

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
pub(super) fn only(table: &Table, known: &[&str], report: &mut Report) -> Option<()> {
    let mut fine = Some(());
    for key in table.keys().filter(|k| !known.contains(&k.get_ref().as_str())) {
        let help = suggest(key.get_ref(), known.iter().copied());
        fine = report.bad(key.span(), format!("unknown key `{}`", key.get_ref()), help);
    }
    fine
}

/// A pair of numbers, the first not above the second.
pub(super) fn pair<T: Copy + PartialOrd>(
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

pub(super) fn int(value: &Loose) -> Option<i64> {
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
