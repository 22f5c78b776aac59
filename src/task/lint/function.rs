//! Findings about one function: what its draws lead to.

use std::collections::HashSet;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::Findings;
use crate::task::expression::{Expr, Reads};
use crate::task::sample::{Values, extreme, sample};
use crate::task::{Arg, Draw, Function, Ret, Role, Same, Task};

/// Random draws that are tried besides the extremes.
const SAMPLES: u64 = 500;

pub(super) fn check(task: &Task, f: &Function, findings: &mut Findings) {
    let place = format!("function {}", f.name);
    let compared = f
        .buffers
        .iter()
        .any(|b| matches!(b.role, Role::Out | Role::InOut) && b.same != Same::Ignore);
    if !compared && !matches!(f.ret, Ret::Same(_)) {
        let help = "compare an `out` buffer or the return value";
        findings.error(&*place, "nothing that it computes is compared", help);
    }
    unused(f, &place, findings);
    draws(task, f, &f.draws, &place, findings);
    for p in &f.profiles {
        draws(task, f, &p.draws, &format!("{place}, profile {}", p.name), findings);
    }
}

/// Draws that nothing depends on.
fn unused(f: &Function, place: &str, findings: &mut Findings) {
    let mut used: HashSet<&str> = sizes(f).flat_map(|(_, e)| e.names()).collect();
    let args = f.makes.iter().chain(&f.calls).flat_map(|c| &c.args).map(|a| match a {
        Arg::Int { value, .. } => value,
        Arg::Pointer { offset, .. } => offset,
    });
    used.extend(args.flat_map(Expr::names));
    used.extend(f.draws.iter().flat_map(|(_, d)| match d {
        Draw::Expr(e) => e.names().collect::<Vec<_>>(),
        _ => Vec::new(),
    }));
    for (name, _) in f.draws.iter().filter(|(n, _)| !used.contains(n.as_str())) {
        findings.warning(place, format!("draw `{name}` is never used"), "remove it");
    }
}

/// Every expression that sizes a buffer, with what it says.
fn sizes(f: &Function) -> impl Iterator<Item = (String, &Expr)> {
    f.buffers.iter().flat_map(|b| {
        [
            ("rows", b.rows.as_ref()),
            ("size", Some(&b.cols)),
            ("stride", b.stride.as_ref()),
            ("room", b.room.as_ref()),
            ("used", b.used.as_ref()),
        ]
        .into_iter()
        .filter_map(move |(what, e)| Some((format!("{what} of `{}`", b.name), e?)))
    })
}

/// Tries the extremes and many random draws.
fn draws(
    task: &Task,
    f: &Function,
    draws: &[(String, Draw)],
    place: &str,
    findings: &mut Findings,
) {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let tries = [extreme(draws, false), extreme(draws, true)];
    let tries =
        tries.into_iter().chain((0..SAMPLES).map(|_| sample(draws, &Values::default(), &mut rng)));
    for values in tries {
        let before = findings.0.len();
        match values {
            Ok(values) => one(task, f, &values, place, findings),
            Err(e) => findings.error(place, format!("a draw can't be computed: {e}"), SMALLER),
        }
        // One example is enough: more would be the same again with other numbers.
        if findings.0.len() > before {
            return;
        }
    }
}

const SMALLER: &str = "narrow the draws, or bound the expression with min and max";

fn one(task: &Task, f: &Function, values: &Values, place: &str, findings: &mut Findings) {
    let with = || {
        let mut all: Vec<String> = values.0.iter().map(|(n, v)| format!("{n} = {v}")).collect();
        all.sort();
        all.join(", ")
    };
    for (what, e) in sizes(f) {
        // Results are known after the call only.
        if e.reads().iter().any(|r| !matches!(r, Reads::Name(_))) {
            continue;
        }
        match e.eval(values) {
            Ok(0..) => {}
            Ok(v) => findings.error(place, format!("the {what} is {v} with {}", with()), SMALLER),
            Err(e) => findings.error(place, format!("the {what}: {e}, with {}", with()), SMALLER),
        }
    }
    for call in f.makes.iter().chain(&f.calls) {
        for arg in &call.args {
            let Arg::Int { value, ctype, .. } = arg else { continue };
            let fits = |v| ctype.range().is_some_and(|r| r.contains(&v));
            let message = match value.eval(values) {
                Ok(v) if fits(v) => continue,
                Ok(v) => format!("argument `{value}` is {v}, which `{ctype}` can't hold"),
                Err(e) => format!("argument `{value}`: {e}"),
            };
            findings.error(place, format!("{message}, with {}", with()), SMALLER);
        }
    }
    memory(task, f, values, place, findings);
}

/// Strides, pairs that share memory, and the size of all buffers together.
fn memory(task: &Task, f: &Function, values: &Values, place: &str, findings: &mut Findings) {
    let value = |e: &Expr| e.eval(values).ok().map(i128::from);
    let mut bytes = Vec::new();
    for b in &f.buffers {
        let Some(cols) = value(&b.cols) else { return };
        let rows = b.rows.as_ref().map_or(Some(1), value);
        let stride = b.stride.as_ref().map_or(Some(cols), value);
        let (Some(rows), Some(stride)) = (rows, stride) else { return };
        if stride < cols {
            let message = format!("the stride of `{}` is {stride}, its rows have {cols}", b.name);
            findings.error(place, message, "make the stride at least the columns");
        }
        let elements = if rows > 0 { (rows - 1) * stride + cols } else { 0 };
        bytes.push(elements * i128::from(b.elem.size()));
    }
    for (a, b) in f.alias.iter().filter(|(a, b)| bytes[*a] != bytes[*b]) {
        let (name, other) = (&f.buffers[*a].name, &f.buffers[*b].name);
        let message = format!(
            "`{name}` of {} bytes and `{other}` of {} are to be the same memory",
            bytes[*a], bytes[*b]
        );
        findings.error(place, message, "give both one size, or remove the alias");
    }
    // Sealed input, clear input and output are in the worker at once, beside the library.
    let total: i128 = bytes.iter().sum();
    let limit = i128::from(task.limits.memory_mb) << 20;
    if total > limit / 4 {
        let (total, most) = (total >> 20, task.limits.memory_mb);
        let message = format!("its buffers take {total} MiB, the worker may use {most}");
        let help = "draw smaller sizes, or raise memory_mb above four times that";
        findings.error(place, message, help);
    }
}
