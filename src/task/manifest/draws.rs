//! Named values: draws, scalars, and the order in which they can be evaluated.

use std::collections::{HashMap, HashSet};

use toml::Spanned;

use super::loose::{Loose, Table};
use super::report::Report;
use super::value;
use crate::task::expression::{Expr, Reads};
use crate::task::model::Draw;
use crate::task::vocabulary::suggest;

/// A draw or scalar with the place of its value.
#[derive(Clone)]
pub(super) struct Named {
    pub(super) name: Spanned<String>,
    pub(super) value: Spanned<String>,
    pub(super) draw: Draw,
}

impl Named {
    pub(super) fn new(name: &Spanned<String>, value: &Spanned<Loose>, draw: Draw) -> Named {
        let text = match value.get_ref() {
            Loose::Text(text) => text.clone(),
            _ => String::new(),
        };
        Named { name: name.clone(), value: Spanned::new(value.span(), text), draw }
    }
}

/// Stands for a value that is wrong, so that its name is known and complained about only once.
pub(super) const UNKNOWN: Draw = Draw::Range { from: 0, to: 0 };

/// Reads the `draw` table.
pub(super) fn draws(table: &Table, report: &mut Report) -> Vec<Named> {
    let mut found = Vec::new();
    for (name, value) in table {
        if !usable(name, report) {
            continue;
        }
        let draw = value::draw(value, report).unwrap_or(UNKNOWN);
        found.push(Named::new(name, value, draw));
    }
    found
}

/// Whether expressions can refer to a name.
pub(super) fn usable(name: &Spanned<String>, report: &mut Report) -> bool {
    let text = name.get_ref();
    let word = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !word {
        report.note(name.span(), format!("`{text}` is no name"), "letters, digits and `_`");
    } else if text == "ret" {
        let help = "rename it: in expressions `ret` is what the function returns";
        report.note(name.span(), "`ret` can't be the name of a draw or parameter", help);
    }
    word && text != "ret"
}

/// What an expression may refer to besides draws and scalars.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Results {
    /// Nothing: the value is needed before the call.
    No,
    /// `ret` (if the unit returns an integer) and `*P`.
    Yes {
        /// Whether there is an integer return value.
        ret: bool,
    },
}

/// The names of one function.
pub(super) struct Names<'a> {
    pub(super) values: HashSet<&'a str>,
    /// Scalar parameters, which should be values: those that are not are complained about once.
    pub(super) scalars: HashSet<&'a str>,
    /// Buffers, and whether `*P` of each is a number once the call is done.
    pub(super) buffers: HashMap<&'a str, bool>,
}

impl Names<'_> {
    /// Complains about every name in an expression that has no value where it is needed.
    pub(super) fn check(
        &self,
        expr: &Expr,
        text: &Spanned<String>,
        results: Results,
        report: &mut Report,
    ) -> bool {
        let mut fine = true;
        for read in expr.reads() {
            let (word, message, help) = match (read, results) {
                (Reads::Name(n), _) if self.values.contains(n) || self.scalars.contains(n) => {
                    continue;
                }
                (Reads::Ret, Results::Yes { ret: true }) => continue,
                (Reads::Deref(n), Results::Yes { .. }) if self.buffers.get(n) == Some(&true) => {
                    continue;
                }
                (Reads::Name(n), _) if self.buffers.contains_key(n) => (
                    n,
                    format!("`{n}` is a buffer, not a number"),
                    format!("after the call, `*{n}` is its first element"),
                ),
                (Reads::Name(n), _) => {
                    let mut known: Vec<&str> = self.values.iter().copied().collect();
                    known.sort_unstable();
                    let message = format!("`{n}` is neither a draw nor a scalar argument");
                    (n, message, suggest(n, known))
                }
                (Reads::Ret, Results::Yes { ret: false }) => (
                    "ret",
                    "the function returns no integer".into(),
                    "use draws, or `*P` for a length that is written to memory".into(),
                ),
                (Reads::Deref(n), Results::Yes { .. }) => (
                    n,
                    format!("`*{n}` is no integer that the call writes"),
                    "name an `out` or `inout` buffer of integers".into(),
                ),
                (Reads::Ret, Results::No) => {
                    ("ret", "`ret` is not known before the call".into(), RESULTS.into())
                }
                (Reads::Deref(n), Results::No) => {
                    (n, format!("`*{n}` is not known before the call"), RESULTS.into())
                }
            };
            report.note(report.word(text, word), message, help);
            fine = false;
        }
        fine
    }
}

const RESULTS: &str = "results may be used in `used` only; sizes come from draws";

/// Puts draws in an order in which each can be evaluated after those before it; otherwise names
/// the circle.
pub(super) fn order(named: Vec<Named>, report: &mut Report) -> Option<Vec<(String, Draw)>> {
    let index: HashMap<&str, usize> =
        named.iter().enumerate().map(|(i, n)| (n.name.get_ref().as_str(), i)).collect();
    let needs: Vec<Vec<usize>> = named
        .iter()
        .map(|n| match &n.draw {
            Draw::Expr(e) => e.names().filter_map(|n| index.get(n).copied()).collect(),
            _ => Vec::new(),
        })
        .collect();
    let mut done: Vec<usize> = Vec::new();
    // Each round takes what has become ready, so the order is the manifest's as far as possible.
    while done.len() < named.len() {
        let ready = (0..named.len())
            .find(|i| !done.contains(i) && needs[*i].iter().all(|n| done.contains(n)));
        match ready {
            Some(i) => done.push(i),
            None => {
                let circle = circle(&needs, &done);
                let names: Vec<String> =
                    circle.iter().map(|i| format!("`{}`", named[*i].name.get_ref())).collect();
                let message = match names.as_slice() {
                    [one] => format!("{one} depends on itself"),
                    _ => format!("{} depend on each other", names.join(" and ")),
                };
                let help = "let one of them be a list or a range";
                return report.bad(named[circle[0]].value.span(), message, help);
            }
        }
    }
    Some(
        done.into_iter()
            .map(|i| (named[i].name.get_ref().clone(), named[i].draw.clone()))
            .collect(),
    )
}

/// Follows unmet needs until a value comes up again.
fn circle(needs: &[Vec<usize>], done: &[usize]) -> Vec<usize> {
    let unmet = |i: &usize| !done.contains(i);
    let mut path: Vec<usize> = (0..needs.len()).filter(unmet).take(1).collect();
    while let Some(next) = path.last().and_then(|last| needs[*last].iter().copied().find(unmet)) {
        if let Some(start) = path.iter().position(|i| *i == next) {
            return path.split_off(start);
        }
        path.push(next);
    }
    path
}

/// Everything that some values depend on, themselves included.
pub(super) fn closure<'a>(
    start: impl IntoIterator<Item = &'a str>,
    draws: &'a [(String, Draw)],
) -> HashSet<&'a str> {
    let mut found: HashSet<&str> = start.into_iter().collect();
    // In evaluation order a value only needs earlier ones: one walk backwards finds them all.
    for (name, draw) in draws.iter().rev() {
        if let (true, Draw::Expr(e)) = (found.contains(name.as_str()), draw) {
            found.extend(e.names());
        }
    }
    found
}
