//! `[function.F]`.

use std::fs;
use std::path::Path;

use toml::Spanned;

use super::buffer::{Context, buffer};
use super::calls;
use super::draws::{self, Named, Names, Results};
use super::loose::Loose;
use super::profile::{Replaceable, profile};
use super::raw::FunctionTable;
use super::report::Report;
use super::{arguments, fill, make, same, source};
use crate::task::known::{self, Known};
use crate::task::model::{self, Buffer, Draw, Function, Ret, Role};
use crate::task::own;
use crate::task::prototype::{CType, Returns};
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
    let (scalars, tables) = arguments::arguments(table, &own_draws, report);
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
    let made = arguments::roles(false, &declared, &makes, &names, report);
    let roles = arguments::roles(by_name, &declared, &written, &names, report).and(made);
    if roles.is_some() || by_name {
        arguments::unused(table, written.iter().chain(&makes), report);
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
    let mut calls = arguments::resolve(&declared, &written, &buffers, &names, report)?;
    let prepared = arguments::resolve(&declared, &makes, &buffers, &names, report)?;
    arguments::seal(&mut calls, &prepared, &buffers, &draws);
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
