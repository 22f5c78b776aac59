//! `make`: the calls that prepare states, outside the clock.

use std::ops::Range;

use toml::Spanned;

use super::buffer;
use super::calls::{self, Declared, Written};
use super::raw::BufferTable;
use super::report::Report;
use crate::task::model::{Arg, Buffer, Call, Role};

/// What a `make` may take longer than the reference's, where nothing is said.
pub(super) const BUDGET: f64 = 1.5;

type NamedBuffer<'a> = (&'a Spanned<String>, Range<usize>, &'a BufferTable);

/// The calls of all states' `make`, in the order of the states.
pub(super) fn makes(
    tables: &[NamedBuffer<'_>],
    declared: &[Declared],
    report: &mut Report,
) -> Option<Vec<Written>> {
    let mut all = Vec::new();
    for (name, at, table) in tables {
        let Some(text) = &table.make else { continue };
        // Its own role is complained about elsewhere.
        buffer::role(at.clone(), table, report)?;
        let call = calls::written(text, declared, report)?;
        let given = call.args.iter().any(|(e, _)| e.names().any(|n| n == name.get_ref()));
        if !given {
            let message = format!("this call is not given `{}`", name.get_ref());
            return report.bad(text.span(), message, "write symbol(state, argument)");
        }
        all.push(call);
    }
    Some(all)
}

/// How long all of them may take together, in multiples of the reference's time.
pub(super) fn budget(tables: &[NamedBuffer<'_>]) -> f64 {
    let given = tables.iter().filter(|(_, _, table)| table.make.is_some());
    let each = given.map(|(_, _, t)| t.budget.as_ref().map_or(BUDGET, |b| *b.get_ref()));
    each.reduce(f64::max).unwrap_or(BUDGET)
}

/// What states are made of is known before the clock starts: says so of these buffers, and complains
/// about those that nobody has written yet.
pub(super) fn known(
    makes: &[Call],
    written: &[Written],
    buffers: &mut [Buffer],
    report: &mut Report,
) {
    for (make, text) in makes.iter().zip(written) {
        for (arg, (_, span)) in make.args.iter().zip(&text.args) {
            let Arg::Pointer { buffer, .. } = arg else { continue };
            let buffer = &mut buffers[*buffer];
            match buffer.role {
                Role::In => buffer.role = Role::Material,
                Role::Material | Role::State => {}
                Role::Out | Role::InOut => report.note(
                    span.clone(),
                    format!("`{}` is written by the unit itself", buffer.name),
                    "states are made of `in` buffers, other states and numbers",
                ),
            }
        }
    }
}
