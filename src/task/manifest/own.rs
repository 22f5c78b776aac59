//! A fill by a generator of the task's own: `gen/NAME.c`, whose parameters say what it wants.

use toml::Spanned;

use super::buffer::Context;
use super::loose::Loose;
use super::report::Report;
use crate::task::model::Fill;
use crate::task::own::{OwnFill, OwnParam, file, symbol};
use crate::task::prototype::{CType, ParamKind, Pointee, Prototype};
use crate::task::vocabulary::suggest;

/// Options by name, with the place of each.
pub(super) type Options = Vec<(Spanned<String>, Vec<f64>)>;

const HELP: &str = "define it as void gen_NAME(uint64_t seed, TYPE *out, size_t len, …) with draws \
    by name, and options as const double *";

/// Reads the definition in `gen/NAME.c`, which is there.
pub(super) fn own(
    name: &Spanned<String>,
    options: Options,
    elem: CType,
    context: &Context,
    report: &mut Report,
) -> Option<Fill> {
    let (word, path) = (name.get_ref(), file(name.get_ref()));
    let text = match std::fs::read_to_string(context.dir.join(&path)) {
        Ok(text) => text,
        Err(e) => return report.bad(name.span(), format!("`{path}` can't be read: {e}"), HELP),
    };
    let Some(head) = definition(&text, &symbol(word)) else {
        let message = format!("`{path}` defines no function `{}`", symbol(word));
        return report.bad(name.span(), message, HELP);
    };
    let prototype = match Prototype::parse(&format!("void {head}")).map(|mut all| all.pop()) {
        Ok(Some(prototype)) => prototype,
        Ok(None) => return report.bad(name.span(), format!("`{head}` is no prototype"), HELP),
        Err(e) => {
            let message = format!("the parameters of `{}` can't be read: {e}", symbol(word));
            return report.bad(name.span(), message, "plain C types, no comments between them");
        }
    };
    let mut params = Vec::new();
    let mut wanted = vec![false; options.len()];
    for param in &prototype.params {
        let given = options.iter().position(|(key, _)| *key.get_ref() == param.name);
        params.push(match (param.name.as_str(), param.kind, given) {
            ("out", ParamKind::Pointer { to, constant: false }, _)
                if matches!(to, Pointee::Void) || to == Pointee::Elem(elem) =>
            {
                OwnParam::Out
            }
            ("out", ..) => {
                let message = format!("`out` of `{}` is no `{elem} *`", symbol(word));
                return report.bad(name.span(), message, "it gets elements of the buffer's type");
            }
            ("len", ParamKind::Scalar(t), _) if t.range().is_some() => OwnParam::Len(t),
            ("seed", ParamKind::Scalar(t), _) if t.range().is_some() => OwnParam::Seed(t),
            (_, ParamKind::Pointer { to: Pointee::Elem(CType::F64), constant: true }, Some(i)) => {
                wanted[i] = true;
                OwnParam::Option(i)
            }
            (draw, ParamKind::Scalar(t), None)
                if t.range().is_some() && context.names.values.contains(draw) =>
            {
                OwnParam::Draw(draw.into(), t)
            }
            (other, ..) => {
                let message =
                    format!("nothing says what parameter `{other}` of `{}` is", symbol(word));
                let known = context.names.values.iter().copied();
                let known: Vec<&str> = known.chain(["out", "len", "seed"]).collect();
                return report.bad(
                    name.span(),
                    message,
                    match given {
                        Some(_) => "an option is passed as `const double *`".into(),
                        None => suggest(other, known),
                    },
                );
            }
        });
    }
    if !params.contains(&OwnParam::Out) {
        let message = format!("`{}` has no parameter `out`", symbol(word));
        return report.bad(name.span(), message, HELP);
    }
    for ((key, _), _) in options.iter().zip(&wanted).filter(|(_, wanted)| !**wanted) {
        let known = prototype.params.iter().map(|p| p.name.as_str());
        let message = format!("`{}` has no parameter `{}`", symbol(word), key.get_ref());
        report.note(key.span(), message, suggest(key.get_ref(), known.collect::<Vec<_>>()));
    }
    let options = options.into_iter().map(|(key, values)| (key.into_inner(), values)).collect();
    Some(Fill::Own(Box::new(OwnFill { name: word.clone(), options, params })))
}

/// `name(parameters)` of the definition of a function in a C file.
fn definition<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).find_map(|(at, _)| {
        let rest = &text[at + name.len()..];
        let inner = rest.trim_start().strip_prefix('(')?;
        let end = text.len() - inner.len() + inner.find(')')? + 1;
        let defined = text[end..].trim_start().starts_with('{') && !text[..at].ends_with(part);
        defined.then(|| &text[at..end])
    })
}

/// Numbers of an option.
pub(super) fn numbers(value: &Loose) -> Option<Vec<f64>> {
    match value {
        Loose::List(list) => list.iter().map(|v| super::value::number(v.get_ref())).collect(),
        one => super::value::number(one).map(|v| vec![v]),
    }
}
