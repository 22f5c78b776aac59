//! Which argument goes where: draws, computed scalars and buffers of `args`, and the parameters that
//! take them.

use std::collections::{HashMap, HashSet};

use toml::Spanned;

use super::calls::{self, Declared, Written};
use super::draws::{self, Named, Names, Results};
use super::loose::Loose;
use super::raw::{Arg, BufferTable, FunctionTable};
use super::report::Report;
use super::value;
use crate::task::model::{self, Buffer, Call, Draw};
use crate::task::prototype::ParamKind;
use crate::task::vocabulary::suggest;

/// Its name, where it stands, and what is said of it.
pub(super) type NamedBuffer<'a> = (&'a Spanned<String>, std::ops::Range<usize>, &'a BufferTable);

/// Sorts `args` into computed scalars and buffers.
pub(super) fn arguments<'a>(
    table: &'a FunctionTable,
    draws: &[Named],
    report: &mut Report,
) -> (Vec<Named>, Vec<NamedBuffer<'a>>) {
    let (mut scalars, mut buffers) = (Vec::new(), Vec::new());
    for (name, arg) in &table.args {
        if !draws::usable(name, report) {
            continue;
        }
        if draws.iter().any(|d| d.name.get_ref() == name.get_ref()) {
            let message = format!("`{}` is a draw already", name.get_ref());
            report.note(name.span(), message, "leave the argument out, or rename the draw");
            continue;
        }
        match arg.get_ref() {
            Arg::Buffer(t) => buffers.push((name, arg.span(), t.as_ref())),
            Arg::Scalar(v) => {
                let loose = match v {
                    Loose::Int(v) => Loose::Int(*v),
                    Loose::Text(v) => Loose::Text(v.clone()),
                    _ => continue,
                };
                let value = Spanned::new(arg.span(), loose);
                let draw = value::expression(&value, report).map_or(draws::UNKNOWN, Draw::Expr);
                scalars.push(Named::new(name, &value, draw));
            }
        }
    }
    (scalars, buffers)
}

/// Whether each parameter gets an argument of its kind.
pub(super) fn roles(
    by_name: bool,
    declared: &[Declared],
    written: &[Written],
    names: &Names,
    report: &mut Report,
) -> Option<()> {
    let mut fine = Some(());
    for call in written {
        for (param, (expr, span)) in declared[call.symbol].prototype.params.iter().zip(&call.args) {
            let nothing = |n: &&str| !names.values.contains(n) && !names.buffers.contains_key(n);
            if let (false, Some(n)) = (by_name, expr.names().find(nothing)) {
                let known: Vec<&str> =
                    names.values.iter().chain(names.buffers.keys()).copied().collect();
                let message = format!("`{n}` is neither a draw nor an argument");
                fine = report.bad(span.clone(), message, suggest(n, known));
                continue;
            }
            let buffer = expr.names().find(|n| names.buffers.contains_key(n));
            let known = by_name && names.values.contains(param.name.as_str());
            let name = &param.name;
            let (message, help) = match (param.kind, buffer) {
                (ParamKind::Scalar(_), Some(b)) => (
                    format!("`{name}` is passed by value, but `{b}` is a buffer"),
                    format!("give an expression: args.{name} = \"…\", or draw it"),
                ),
                (ParamKind::Scalar(_), None) if by_name && !known => (
                    format!("parameter `{name}` has no role"),
                    format!("add it under `draw`, or args.{name} = \"expression\""),
                ),
                (ParamKind::Pointer { .. }, None) if known => (
                    format!("`{name}` is a pointer, but its argument is a number"),
                    format!("describe a buffer: args.{name} = {{ in = \"elements\" }}"),
                ),
                (ParamKind::Pointer { constant, .. }, None) => {
                    let role = if constant { "in" } else { "out" };
                    let what = if by_name { "has no role" } else { "gets no buffer here" };
                    (
                        format!("parameter `{name}` {what}"),
                        format!("describe a buffer: args.{name} = {{ {role} = \"elements\" }}"),
                    )
                }
                _ => continue,
            };
            fine = report.bad(span.clone(), message, help);
        }
    }
    fine
}

/// Complains about arguments that no call takes.
pub(super) fn unused<'a>(
    table: &FunctionTable,
    written: impl Iterator<Item = &'a Written>,
    report: &mut Report,
) {
    let passed: HashSet<&str> =
        written.flat_map(|c| c.args.iter().flat_map(|(e, _)| e.names())).collect();
    for name in table.args.keys() {
        let text = name.get_ref().as_str();
        if !passed.contains(text) {
            let message = format!("nothing takes the argument `{text}`");
            report.note(
                name.span(),
                message,
                suggest(text, passed.iter().copied().collect::<Vec<_>>()),
            );
        }
    }
}

/// The calls with every argument resolved.
pub(super) fn resolve(
    declared: &[Declared],
    written: &[Written],
    buffers: &[Buffer],
    names: &Names,
    report: &mut Report,
) -> Option<Vec<Call>> {
    let is_buffer = |n: &str| names.buffers.contains_key(n);
    let place: HashMap<&str, usize> =
        buffers.iter().enumerate().map(|(i, b)| (b.name.as_str(), i)).collect();
    let mut calls = Vec::new();
    for call in written {
        let prototype = &declared[call.symbol].prototype;
        let mut args = Vec::new();
        for (param, (expr, span)) in prototype.params.iter().zip(&call.args) {
            let (value, buffer) = match param.kind {
                ParamKind::Scalar(_) => (expr.clone(), None),
                ParamKind::Pointer { .. } => match calls::pointer(expr, &is_buffer) {
                    Some((name, offset)) => (offset, Some(*place.get(name)?)),
                    None => {
                        let help = "write `buffer`, `buffer + elements` or `buffer - elements`";
                        return report.bad(span.clone(), "this is no place in a buffer", help);
                    }
                },
            };
            let text = Spanned::new(span.clone(), String::new());
            if !names.check(&value, &text, Results::No, report) {
                return None;
            }
            args.push(match (param.kind, buffer) {
                (ParamKind::Scalar(ctype), _) => model::Arg::Int { value, ctype, sealed: false },
                (_, Some(buffer)) => model::Arg::Pointer { buffer, offset: value },
                (ParamKind::Pointer { .. }, None) => return None,
            });
        }
        calls.push(Call { symbol: call.symbol, args, ret: calls::return_type(prototype) });
    }
    Some(calls)
}

/// Marks the integers that may stay hidden until the clock starts: those that depend on draws, but
/// on none that the size or place of any buffer, or a state, depends on.
pub(super) fn seal(
    calls: &mut [Call],
    makes: &[Call],
    buffers: &[Buffer],
    draws: &[(String, Draw)],
) {
    let extents = buffers.iter().flat_map(|b| {
        [Some(&b.cols), b.rows.as_ref(), b.stride.as_ref(), b.used.as_ref(), b.room.as_ref()]
    });
    let offsets = calls.iter().flat_map(|c| &c.args).filter_map(|a| match a {
        model::Arg::Pointer { offset, .. } => Some(offset),
        model::Arg::Int { .. } => None,
    });
    let made = makes.iter().flat_map(|c| &c.args).map(|a| match a {
        model::Arg::Pointer { offset: value, .. } | model::Arg::Int { value, .. } => value,
    });
    let known: Vec<String> = extents
        .flatten()
        .chain(offsets)
        .chain(made)
        .flat_map(|e| e.names().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let known = draws::closure(known.iter().map(String::as_str), draws)
        .into_iter()
        .map(str::to_owned)
        .collect::<HashSet<String>>();
    for arg in calls.iter_mut().flat_map(|c| &mut c.args) {
        if let model::Arg::Int { value, sealed, .. } = arg {
            let mut needs = draws::closure(value.names(), draws);
            // What is computed hides nothing of its own.
            needs
                .retain(|n| draws.iter().any(|(d, draw)| d == n && !matches!(draw, Draw::Expr(_))));
            *sealed = !needs.is_empty() && needs.iter().all(|n| !known.contains(*n));
        }
    }
}
