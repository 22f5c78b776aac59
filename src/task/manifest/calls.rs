//! Prototypes of a function, the calls of its unit, and what each argument is.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use toml::Spanned;

use super::raw::FunctionTable;
use super::report::Report;
use super::value;
use crate::task::expression::{Expr, Op};
use crate::task::prototype::{CType, ParamKind, Pointee, Prototype, Returns};
use crate::task::vocabulary::suggest;

/// A prototype and the text it stands in.
pub(super) struct Declared {
    pub(super) prototype: Prototype,
    pub(super) text: Spanned<String>,
}

/// A call as written: the function, and per argument its expression and its place.
pub(super) struct Written {
    pub(super) symbol: usize,
    pub(super) args: Vec<(Expr, Range<usize>)>,
}

/// Reads `c`; every type must be one that the call table can pass.
pub(super) fn prototypes(table: &FunctionTable, report: &mut Report) -> Option<Vec<Declared>> {
    let mut all: Vec<Declared> = Vec::new();
    for text in value::strings(&table.c, report)? {
        let parsed = match Prototype::parse(text.get_ref()) {
            Ok(parsed) => parsed,
            Err(e) => {
                let next = text.get_ref()[e.offset..].chars().next().map_or(0, char::len_utf8);
                let span = report.inside(&text, e.offset..e.offset + next);
                let help = "write a C prototype such as \
                    \"size_t f(const uint8_t *in, size_t n, uint8_t *out)\"";
                return report.bad(span, e.message, help);
            }
        };
        for prototype in parsed {
            if all.iter().any(|d| d.prototype.name == prototype.name) {
                let span = report.word(&text, &prototype.name);
                let message = format!("`{}` is declared twice", prototype.name);
                return report.bad(span, message, "keep one of the prototypes");
            }
            for param in &prototype.params {
                if matches!(param.kind, ParamKind::Scalar(t) if t.is_float()) {
                    let span = report.inside(&text, param.offset..param.offset + param.name.len());
                    report.unsupported(
                        span,
                        "floating-point arguments",
                        "pass a pointer to the value",
                    );
                }
            }
            all.push(Declared { prototype, text: text.clone() });
        }
    }
    if all.is_empty() {
        return report.bad(table.c.span(), "there is no prototype", "add one as a string");
    }
    Some(all)
}

/// The calls of the unit: those in `calls`, or the one function with its parameters by name. Those
/// of `makes` are no part of it.
pub(super) fn calls(
    name: &Spanned<String>,
    table: &FunctionTable,
    declared: &[Declared],
    makes: &[Written],
    report: &mut Report,
) -> Option<Vec<Written>> {
    if let Some(list) = &table.calls {
        if list.get_ref().is_empty() {
            return report.bad(
                list.span(),
                "`calls` is empty",
                "leave it out when the unit is one call",
            );
        }
        return list.get_ref().iter().map(|text| written(text, declared, report)).collect();
    }
    let mut others = (0..declared.len()).filter(|i| makes.iter().all(|make| make.symbol != *i));
    let symbol = match (others.next(), others.next()) {
        (Some(only), None) => Some(only),
        _ => declared.iter().position(|d| d.prototype.name == *name.get_ref()),
    };
    let Some(symbol) = symbol else {
        let message = "there are several prototypes, and nothing says how they are called";
        return report.bad(table.c.span(), message, "add calls = [\"first(a, b)\", \"second(b)\"]");
    };
    let Declared { prototype, text } = &declared[symbol];
    let args = prototype.params.iter().map(|p| {
        let span = report.inside(text, p.offset..p.offset + p.name.len());
        (Expr::Name(p.name.clone()), span)
    });
    Some(vec![Written { symbol, args: args.collect() }])
}

/// The symbol of a call and the byte ranges of its arguments.
type Parts<'a> = (&'a str, Vec<Range<usize>>);

/// Splits `symbol(arg, arg)`; otherwise says where it fails and why.
pub(super) fn split(text: &str) -> Result<Parts<'_>, (Range<usize>, String)> {
    let open = text.find('(').ok_or((0..text.len(), "this is no call".to_owned()))?;
    let end = text.trim_end().len();
    if !text[..end].ends_with(')') {
        return Err((end..end, "the call must end with `)`".into()));
    }
    let inner = open + 1..end - 1;
    let mut args = Vec::new();
    let (mut depth, mut start) = (0usize, inner.start);
    for (i, c) in text[inner.clone()].char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => {
                let at = inner.start + i;
                return Err((at..at + 1, "this `)` closes nothing".into()));
            }
            ')' => depth -= 1,
            ',' if depth == 0 => {
                args.push(start..inner.start + i);
                start = inner.start + i + 1;
            }
            _ => {}
        }
    }
    if !args.is_empty() || !text[inner.clone()].trim().is_empty() {
        args.push(start..inner.end);
    }
    Ok((text[..open].trim(), args))
}

/// A call as it is written in the manifest.
pub(super) fn written(
    text: &Spanned<String>,
    declared: &[Declared],
    report: &mut Report,
) -> Option<Written> {
    let (symbol, args) = match split(text.get_ref()) {
        Ok(parts) => parts,
        Err((at, message)) => {
            let help = "write symbol(argument, argument)";
            return report.bad(report.inside(text, at), message, help);
        }
    };
    let Some(index) = declared.iter().position(|d| d.prototype.name == symbol) else {
        let help = suggest(symbol, declared.iter().map(|d| d.prototype.name.as_str()));
        let span = report.word(text, symbol);
        return report.bad(span, format!("`{symbol}` has no prototype in `c`"), help);
    };
    let wanted = declared[index].prototype.params.len();
    if args.len() != wanted {
        let message = format!("`{symbol}` takes {wanted} arguments, here are {}", args.len());
        return report.bad(text.span(), message, "pass one for each parameter of the prototype");
    }
    let args = args
        .into_iter()
        .map(|part| Some((value::parse(text, part.clone(), report)?, report.inside(text, part))))
        .collect::<Option<Vec<_>>>()?;
    Some(Written { symbol: index, args })
}

/// The parameters that must be numbers of the manifest under their own name.
pub(super) fn scalars<'a>(
    table: &FunctionTable,
    declared: &'a [Declared],
    calls: &[Written],
) -> HashSet<&'a str> {
    let by_name = calls.iter().filter(|_| table.calls.is_none());
    by_name
        .flat_map(|c| &declared[c.symbol].prototype.params)
        .filter(|p| matches!(p.kind, ParamKind::Scalar(_)))
        .map(|p| p.name.as_str())
        .collect()
}

/// How a buffer is used by the unit.
#[derive(Clone, Copy)]
pub(super) struct Use {
    pub(super) to: Pointee,
    /// Some call takes it through a pointer that is not `const`.
    pub(super) written: bool,
}

/// The element type of each buffer, from the pointers it is passed as.
pub(super) fn uses<'a>(
    declared: &[Declared],
    calls: impl Iterator<Item = &'a Written>,
    is_buffer: impl Fn(&str) -> bool,
    report: &mut Report,
) -> HashMap<&'a str, Use> {
    let mut found: HashMap<&str, Use> = HashMap::new();
    for call in calls {
        for (param, (expr, span)) in declared[call.symbol].prototype.params.iter().zip(&call.args) {
            let ParamKind::Pointer { to, constant } = param.kind else { continue };
            let Some(name) = expr.names().find(|n| is_buffer(n)) else { continue };
            let known = found.entry(name).or_insert(Use { to, written: false });
            known.written |= !constant;
            match (known.to, to) {
                (Pointee::Elem(a), Pointee::Elem(b)) if a != b => {
                    let message = format!("`{name}` is passed as `{a}` and as `{b}`");
                    let help = "use one element type, or two buffers";
                    report.note(span.clone(), message, help);
                }
                // Typed beats opaque beats `void`.
                (Pointee::Void, _) | (Pointee::Opaque, Pointee::Elem(_)) => known.to = to,
                _ => {}
            }
        }
    }
    found
}

/// Splits `offset + buffer` into the buffer and the offset; nothing when no buffer is added.
pub(super) fn pointer<'a>(
    expr: &'a Expr,
    is_buffer: &impl Fn(&str) -> bool,
) -> Option<(&'a str, Expr)> {
    let add = |op, a: Expr, b: &Expr| match a {
        Expr::Const(0) if op == Op::Add => b.clone(),
        a => Expr::Op(op, Box::new(a), Box::new(b.clone())),
    };
    match expr {
        Expr::Name(n) if is_buffer(n) => Some((n, Expr::Const(0))),
        Expr::Op(op @ (Op::Add | Op::Sub), a, b) => match pointer(a, is_buffer) {
            Some((name, offset)) => Some((name, add(*op, offset, b))),
            None if *op == Op::Add => {
                let (name, offset) = pointer(b, is_buffer)?;
                Some((name, add(Op::Add, offset, a)))
            }
            None => None,
        },
        _ => None,
    }
}

/// The type that a call's return value has in the call table; pointers count as their bits.
pub(super) fn return_type(prototype: &Prototype) -> CType {
    match prototype.ret {
        Returns::Value(t) => t,
        Returns::Pointer => CType::Uint(8),
    }
}
