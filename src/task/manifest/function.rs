//! `[function.F]`.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use toml::Spanned;

use super::buffer::{Context, buffer};
use super::calls::{self, Declared, Written};
use super::draws::{self, Named, Names, Results};
use super::loose::Loose;
use super::profile::{Replaceable, profile};
use super::raw::{Arg, BufferTable, FunctionTable};
use super::report::Report;
use super::{fill, make, same, source, value};
use crate::task::known::{self, Known};
use crate::task::model::{self, Buffer, Call, Draw, Function, Ret, Role};
use crate::task::own;
use crate::task::prototype::{CType, ParamKind, Returns};
use crate::task::same::{Rule, Same};
use crate::task::vocabulary::suggest;

/// Reads one function; one that is not `timed` (a public entry) has no profiles. Whose entry it is
/// has to be filled in.
pub(super) fn function(
    dir: &Path,
    name: &Spanned<String>,
    table: &FunctionTable,
    timed: bool,
    report: &mut Report,
) -> Option<Function> {
    draws::usable(name, report);
    if let Some(driver) = &table.driver {
        source::file(dir, driver, report);
        report.unsupported(driver.span(), "hand-written drivers", "describe the unit with `calls`");
    }
    if let Some(exact) = &table.exact {
        let word = exact.get_ref().chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let path = own::file(exact.get_ref());
        if !word || !dir.join(&path).is_file() {
            report.note(exact.span(), format!("there is no `{path}`"), EXACT_HELP);
        }
    }
    let declared = calls::prototypes(table, report)?;
    let own_draws = draws::draws(&table.draw, report);
    let (scalars, tables) = arguments(table, &own_draws, report);
    let makes = make::makes(&tables, &declared, report)?;
    let written = calls::calls(name, table, &declared, &makes, report)?;
    let returned = &declared[written.last()?.symbol].prototype;
    let ret = ret(table, returned.ret, name, report);

    let is_buffer = |n: &str| tables.iter().any(|(name, _, _)| name.get_ref() == n);
    let uses = calls::uses(&declared, written.iter().chain(&makes), is_buffer, report);
    let names = Names {
        scalars: calls::scalars(table, &declared, &written),
        values: own_draws.iter().chain(&scalars).map(|n| n.name.get_ref().as_str()).collect(),
        buffers: tables
            .iter()
            .map(|(name, _, t)| {
                let name = name.get_ref().as_str();
                let integer = uses.get(name).is_some_and(|u| u.to.elem().range().is_some());
                (name, integer && (t.out.is_some() || t.inout.is_some()))
            })
            .collect(),
    };
    for named in own_draws.iter().chain(&scalars) {
        if let Draw::Expr(e) = &named.draw {
            names.check(e, &named.value, Results::No, report);
        }
    }
    let integer = matches!(returned.ret, Returns::Value(t) if t.range().is_some());
    let context = Context { dir, names: &names, ret: integer, exact: table.exact.is_some() };
    let mut buffers = Vec::new();
    for (name, at, t) in &tables {
        let used_as = uses.get(name.get_ref().as_str()).copied();
        buffers.push(buffer(name, at.clone(), t, used_as, &context, report));
    }
    let by_name = table.calls.is_none();
    let made = roles(false, &declared, &makes, &names, report);
    let roles = roles(by_name, &declared, &written, &names, report).and(made);
    if roles.is_some() || by_name {
        unused(table, written.iter().chain(&makes), report);
    }
    let mut buffers: Vec<Buffer> = buffers.into_iter().collect::<Option<_>>()?;
    for (index, (_, at, table)) in tables.iter().enumerate() {
        let at = table.fill.as_ref().map_or(at.clone(), Spanned::span);
        fill::follows(at, &buffers[index].fill, index, &buffers, report);
    }
    if let Some(exact) = &table.exact {
        exactly(exact, written.len() + makes.len(), &buffers, report);
    }
    let profiles = if timed {
        profiles(name, table, &own_draws, &scalars, &buffers, &context, report)
    } else {
        untimed(table, report)
    };
    let draws = draws::order(own_draws.iter().chain(&scalars).cloned().collect(), report)?;
    roles?;
    let mut calls = resolve(&declared, &written, &buffers, &names, report)?;
    let prepared = resolve(&declared, &makes, &buffers, &names, report)?;
    seal(&mut calls, &prepared, &buffers, &draws);
    let alias = alias(table, &buffers, report);
    let secret = secret(table, &buffers, report);
    make::known(&prepared, &makes, &mut buffers, report);
    let mut function = Function {
        name: name.get_ref().clone(),
        symbols: declared.iter().map(|d| d.prototype.name.clone()).collect(),
        draws,
        buffers,
        makes: prepared,
        budget: make::budget(&tables),
        calls,
        ret: ret?,
        alias: alias?,
        secret: secret?,
        exact: table.exact.as_ref().map(|e| e.get_ref().clone()),
        constant_time: table.constant_time.as_ref().is_some_and(|c| *c.get_ref()),
        entry: None,
        kat: table.kat.as_ref().map(|k| k.get_ref().clone()),
        known: Vec::new(),
        profiles: profiles?,
    };
    if let Some(kat) = &table.kat {
        function.known = known(dir, kat, &function, report)?;
    }
    Some(function)
}

/// The vectors of a file of known answers.
fn known(
    dir: &Path,
    kat: &Spanned<String>,
    function: &Function,
    report: &mut Report,
) -> Option<Vec<Known>> {
    let path = source::file(dir, kat, report)?;
    let read = fs::read_to_string(dir.join(path)).map_err(|error| error.to_string());
    match read.and_then(|text| known::read(&text, function)) {
        Ok(known) => Some(known),
        Err(message) => report.bad(kat.span(), message, "docs/TASKS.md shows a file of vectors"),
    }
}

const EXACT_HELP: &str = "define a function of this name there, with the same parameters, which \
    writes double for float and long double for double";

/// Whether a function can give exact values of the outputs.
fn exactly(at: &Spanned<String>, calls: usize, buffers: &[Buffer], report: &mut Report) {
    let near = || buffers.iter().filter(|b| matches!(b.same, Same::Near(_)));
    let message = if calls != 1 {
        "only a unit of one call without `make` can have an oracle for exact values"
    } else if near().count() == 0 {
        "no output has a tolerance"
    } else if near().any(|b| b.role != Role::Out) {
        "exact values need outputs that are not also read"
    } else {
        return;
    };
    report.note(at.span(), message, "leave `exact` out");
}

/// Whether the return value of the last call is compared.
fn ret(
    table: &FunctionTable,
    returned: Returns,
    name: &Spanned<String>,
    report: &mut Report,
) -> Option<Ret> {
    let same = match table.ret.as_ref().map(|v| (v, v.get_ref())) {
        None => Some(Same::Bits),
        Some((v, Loose::Text(word))) => {
            let word = Spanned::new(v.span(), word.clone());
            report.choice(&word, &[("same", Some(Same::Bits)), ("ignore", None)])?
        }
        Some((v, _)) => match returned {
            // What it returns is no number: complained about below.
            Returns::Pointer | Returns::Value(CType::Void) => Some(Same::Bits),
            Returns::Value(elem) => Some(same::same(v, elem, false, report)?),
        },
    };
    let span = table.ret.as_ref().map_or(name.span(), Spanned::span);
    match returned {
        Returns::Value(CType::Void) if table.ret.is_some() && same.is_some() => {
            report.bad(span, "the function returns nothing to compare", "leave `ret` out")
        }
        Returns::Value(CType::Void) => Some(Ret::Void),
        Returns::Value(elem) => {
            Some(same.map_or(Ret::Ignore, |same| Ret::Same(Rule { elem, same })))
        }
        Returns::Pointer if same.is_some() => report.bad(
            span,
            "a returned pointer differs from process to process",
            "add ret = \"ignore\"",
        ),
        Returns::Pointer => Some(Ret::Ignore),
    }
}

type NamedBuffer<'a> = (&'a Spanned<String>, std::ops::Range<usize>, &'a BufferTable);

/// Sorts `args` into computed scalars and buffers.
fn arguments<'a>(
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
fn roles(
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
fn unused<'a>(
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
fn resolve(
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
fn seal(calls: &mut [Call], makes: &[Call], buffers: &[Buffer], draws: &[(String, Draw)]) {
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

fn profiles(
    name: &Spanned<String>,
    table: &FunctionTable,
    draws: &[Named],
    scalars: &[Named],
    buffers: &[Buffer],
    context: &Context,
    report: &mut Report,
) -> Option<Vec<model::Profile>> {
    if table.profile.is_empty() {
        let message =
            format!("function `{}` has no profile: nothing would be timed", name.get_ref());
        return report.bad(name.span(), message, "add profile.NAME = { weight = 1, … }");
    }
    let own = Replaceable { draws, scalars, buffers };
    let all: Vec<Option<model::Profile>> =
        table.profile.iter().map(|(n, t)| profile(n, t.get_ref(), &own, context, report)).collect();
    all.into_iter().collect()
}

/// A public entry is called, not timed.
fn untimed(table: &FunctionTable, report: &mut Report) -> Option<Vec<model::Profile>> {
    match table.profile.keys().next() {
        Some(profile) => report.bad(
            profile.span(),
            "a public entry is not timed",
            "leave its profiles out, or name it in a step and not in `entry`",
        ),
        None => Some(Vec::new()),
    }
}

/// The buffer of this name.
fn index(name: &Spanned<String>, buffers: &[Buffer], report: &mut Report) -> Option<usize> {
    let found = buffers.iter().position(|b| b.name == *name.get_ref());
    found.or_else(|| {
        let help = suggest(name.get_ref(), buffers.iter().map(|b| b.name.as_str()));
        report.bad(name.span(), format!("there is no buffer `{}`", name.get_ref()), help)
    })
}

/// Buffers that hold secrets: such as are given a content.
fn secret(table: &FunctionTable, buffers: &[Buffer], report: &mut Report) -> Option<Vec<usize>> {
    let mut all = Vec::new();
    for name in &table.secret {
        let buffer = index(name, buffers, report)?;
        if !matches!(buffers[buffer].role, Role::In | Role::InOut) {
            let help = "name buffers that are `in` or `inout`";
            let message = format!("`{}` holds nothing before the call", name.get_ref());
            return report.bad(name.span(), message, help);
        }
        all.push(buffer);
    }
    match &table.constant_time {
        Some(wanted) if *wanted.get_ref() && all.is_empty() => report.bad(
            wanted.span(),
            "nothing is secret here",
            "name the buffers that hold secrets: secret = [\"key\"]",
        ),
        _ => Some(all),
    }
}

/// Pairs of buffers that may be the same memory: one that is read, one that is written.
fn alias(
    table: &FunctionTable,
    buffers: &[Buffer],
    report: &mut Report,
) -> Option<Vec<(usize, usize)>> {
    let mut pairs = Vec::new();
    for pair in &table.alias {
        let [a, b] = pair.get_ref().as_slice() else {
            return report.bad(
                pair.span(),
                "an alias is a pair of buffers",
                "write [[\"out\", \"in\"]]",
            );
        };
        let (a, b) = (index(a, buffers, report)?, index(b, buffers, report)?);
        let written = |i: usize| matches!(buffers[i].role, Role::Out | Role::InOut);
        if a == b
            || !(written(a) || written(b))
            || buffers[a].role == Role::State
            || buffers[b].role == Role::State
        {
            let help = "pair an `out` or `inout` buffer with another one";
            return report.bad(pair.span(), "these two can't be the same memory", help);
        }
        pairs.push((a, b));
    }
    Some(pairs)
}
