//! One buffer of `args`.

use std::ops::Range;
use std::path::Path;

use toml::Spanned;

use super::calls::Use;
use super::draws::{Names, Results};
use super::loose::Loose;
use super::raw::BufferTable;
use super::report::Report;
use super::{fill, same, value};
use crate::task::expression::Expr;
use crate::task::model::{Buffer, Fill, Rest, Role};
use crate::task::prototype::{CType, Pointee};
use crate::task::same::Same;

/// Largest alignment that guard pages can keep.
const MAX_ALIGN: u64 = 4096;

/// What all buffers of a function are checked against.
pub(super) struct Context<'a> {
    pub(super) dir: &'a Path,
    pub(super) names: &'a Names<'a>,
    /// Whether `ret` is an integer.
    pub(super) ret: bool,
    /// Whether the function has an oracle for exact values.
    pub(super) exact: bool,
}

/// The role that a table gives, and the extent.
pub(super) fn role<'a>(
    at: Range<usize>,
    table: &'a BufferTable,
    report: &mut Report,
) -> Option<(Role, &'a Spanned<Loose>)> {
    let roles = [
        (Role::In, &table.input),
        (Role::Out, &table.out),
        (Role::InOut, &table.inout),
        (Role::State, &table.state),
    ];
    let given: Vec<_> = roles.into_iter().filter_map(|(r, v)| Some((r, v.as_ref()?))).collect();
    match given.as_slice() {
        [one] => Some(*one),
        [] => report.bad(at, "this buffer has no role", ROLE_HELP),
        [_, second, ..] => report.bad(second.1.span(), "this buffer has two roles", ROLE_HELP),
    }
}

const ROLE_HELP: &str =
    "give exactly one of in, out, inout (elements or [rows, columns]), state (bytes)";

pub(super) fn buffer(
    name: &Spanned<String>,
    at: Range<usize>,
    table: &BufferTable,
    used_as: Option<Use>,
    context: &Context,
    report: &mut Report,
) -> Option<Buffer> {
    let (role, extent) = role(at, table, report)?;
    let to = used_as.map_or(Pointee::Void, |u| u.to);
    let elem = if role == Role::State { CType::Uint(1) } else { to.elem() };
    let writes = matches!(role, Role::Out | Role::InOut);
    if writes && used_as.is_some_and(|u| !u.written) {
        let message = format!("`{}` is written, but its pointer is `const`", name.get_ref());
        report.note(extent.span(), message, "make it `in`, or drop `const` from the prototype");
    }
    allowed(role, table, report);
    let mut expr = |value: &Option<Spanned<Loose>>, results: Results| match value {
        None => Some(None),
        Some(v) => checked(v, results, context, report).map(Some),
    };
    let stride = expr(&table.stride, Results::No);
    let room = expr(&table.room, Results::No);
    let used = expr(&table.used, Results::Yes { ret: context.ret });
    let (rows, cols) = shape(role, extent, table, context, report)?;
    let fill = match (&table.fill, role) {
        (Some(v), Role::In | Role::InOut) => fill::fill(context, v, elem, report),
        _ => Some(Fill::Bytes),
    };
    let same = match &table.same {
        Some(v) if writes => same::same(v, elem, context.exact, report),
        _ => Some(Same::Bits),
    };
    let rest = match &table.rest {
        Some(word) => report.choice(word, &[("any", Rest::Any), ("kept", Rest::Kept)]),
        None => Some(Rest::Any),
    };
    let natural = if role == Role::State { 16 } else { to.align() };
    let align = match &table.align {
        None => Some(natural),
        Some(v) if v.get_ref().is_power_of_two() && *v.get_ref() <= MAX_ALIGN => {
            Some(natural.max(*v.get_ref()))
        }
        Some(v) => {
            let message = format!("{} is no alignment", v.get_ref());
            report.bad(v.span(), message, format!("a power of two up to {MAX_ALIGN}, in bytes"))
        }
    };
    Some(Buffer {
        name: name.get_ref().clone(),
        role,
        elem,
        rows,
        cols,
        stride: stride?,
        fill: fill?,
        align: align?,
        used: used?,
        room: room?,
        rest: rest?,
        same: same?,
    })
}

/// Keys that mean nothing for the buffer's role.
fn allowed(role: Role, table: &BufferTable, report: &mut Report) {
    let span = |v: &Option<Spanned<Loose>>| v.as_ref().map(Spanned::span);
    let word = |v: &Option<Spanned<String>>| v.as_ref().map(Spanned::span);
    let (input, output) =
        (matches!(role, Role::In | Role::InOut), matches!(role, Role::Out | Role::InOut));
    for (key, span, fine, help) in [
        (
            "fill",
            span(&table.fill),
            input,
            "only `in` and `inout` buffers have content before the call",
        ),
        ("used", span(&table.used), output, "only `out` and `inout` buffers hold a result"),
        ("room", span(&table.room), output, "only `out` and `inout` buffers are written"),
        ("rest", word(&table.rest), output, "only `out` and `inout` buffers are written"),
        ("same", span(&table.same), output, "only `out` and `inout` buffers are compared"),
        ("make", word(&table.make), role == Role::State, "only a `state` is prepared by a call"),
        (
            "budget",
            table.budget.as_ref().map(Spanned::span),
            table.make.is_some(),
            "it bounds the time of `make`",
        ),
    ] {
        if let (Some(span), false) = (span, fine) {
            report.note(span, format!("`{key}` has no meaning here"), help);
        }
    }
    if let Some(b) = table.budget.as_ref().filter(|b| b.get_ref().is_nan() || *b.get_ref() <= 0.0) {
        report.note(
            b.span(),
            "a time budget is above 0",
            "1.5 allows half as much again as the reference",
        );
    }
}

/// Rows (of a plane) and columns or elements.
fn shape(
    role: Role,
    extent: &Spanned<Loose>,
    table: &BufferTable,
    context: &Context,
    report: &mut Report,
) -> Option<(Option<Expr>, Expr)> {
    let size = |v: &Spanned<Loose>, report: &mut Report| {
        let expr = checked(v, Results::No, context, report)?;
        match expr {
            Expr::Const(..0) => report.bad(v.span(), "a size can't be negative", "count elements"),
            expr => Some(expr),
        }
    };
    match extent.get_ref() {
        Loose::List(list) if role != Role::State => match list.as_slice() {
            [rows, cols] => {
                if let Some(used) = &table.used {
                    let help = "use a flat buffer, or compare the whole plane";
                    report.note(used.span(), "`used` counts elements of a flat buffer", help);
                }
                let (rows, cols) = (size(rows, report), size(cols, report));
                Some((Some(rows?), cols?))
            }
            _ => report.bad(
                extent.span(),
                "an extent has one or two dimensions",
                "write [rows, columns]",
            ),
        },
        _ => {
            if let Some(stride) = &table.stride {
                let help = "give the extent as [rows, columns]";
                report.note(stride.span(), "only a plane has a stride", help);
            }
            Some((None, size(extent, report)?))
        }
    }
}

/// An expression whose names all have values.
pub(super) fn checked(
    value: &Spanned<Loose>,
    results: Results,
    context: &Context,
    report: &mut Report,
) -> Option<Expr> {
    let expr = value::expression(value, report)?;
    let text = match value.get_ref() {
        Loose::Text(text) => text.clone(),
        _ => String::new(),
    };
    let text = Spanned::new(value.span(), text);
    context.names.check(&expr, &text, results, report).then_some(expr)
}
