//! `profile.NAME`: what is timed.

use toml::Spanned;

use super::buffer::Context;
use super::draws::{Named, Results, order};
use super::loose::{Loose, Table};
use super::report::Report;
use super::{fill, value};
use crate::task::model::{Buffer, Cache, Calls, Draw, Profile, Role};
use crate::task::vocabulary::suggest;

/// Everything a profile may replace.
pub(super) struct Replaceable<'a> {
    /// Draws.
    pub(super) draws: &'a [Named],
    /// Arguments computed from draws.
    pub(super) scalars: &'a [Named],
    pub(super) buffers: &'a [Buffer],
}

pub(super) fn profile(
    name: &Spanned<String>,
    table: &Table,
    own: &Replaceable,
    context: &Context,
    report: &mut Report,
) -> Option<Profile> {
    let mut profile = Profile {
        name: name.get_ref().clone(),
        weight: 1.0,
        cache: Cache::Warm,
        calls: Calls::Chained,
        draws: Vec::new(),
        fills: Vec::new(),
    };
    let mut draws = own.draws.to_vec();
    for (key, value) in table {
        match key.get_ref().as_str() {
            "weight" => match value::number(value.get_ref()) {
                Some(w) if w > 0.0 => profile.weight = w,
                _ => {
                    let help = "leave it out for 1; for a draw or buffer of this name write \
                                draw.weight or args.weight";
                    report.note(value.span(), "a weight is a number above 0", help);
                }
            },
            "cache" => profile.cache = cache(value, report)?,
            "calls" => {
                let known = [("chained", Calls::Chained), ("independent", Calls::Independent)];
                profile.calls = word(value, &known, report)?;
            }
            // Whatever has the name of one of the profile's own keys is found here.
            group @ ("draw" | "args") if !own.has(group) => match value.get_ref() {
                Loose::Table(inner) => {
                    for (key, value) in inner {
                        replace(key, value, (&mut draws, &mut profile), own, context, report)?;
                    }
                }
                other => {
                    let message = format!("{} where a table should be", other.kind());
                    report.note(value.span(), message, "such as draw = { weight = 3 }");
                }
            },
            _ => replace(key, value, (&mut draws, &mut profile), own, context, report)?,
        }
    }
    draws.extend_from_slice(own.scalars);
    profile.draws = order(draws, report)?;
    Some(profile)
}

impl Replaceable<'_> {
    /// Whether a draw or buffer has this name.
    fn has(&self, name: &str) -> bool {
        let drawn = self.draws.iter().any(|d| d.name.get_ref() == name);
        drawn || self.buffers.iter().any(|b| b.name == name)
    }
}

/// Replaces a draw, or the fill of a buffer.
fn replace(
    key: &Spanned<String>,
    value: &Spanned<Loose>,
    (draws, profile): (&mut [Named], &mut Profile),
    own: &Replaceable,
    context: &Context,
    report: &mut Report,
) -> Option<()> {
    let name = key.get_ref().as_str();
    if let Some(known) = draws.iter_mut().find(|d| d.name.get_ref() == name) {
        *known = Named::new(key, value, value::draw(value, report)?);
        if let Draw::Expr(e) = &known.draw {
            context.names.check(e, &known.value, Results::No, report);
        }
    } else if let Some(b) = own.buffers.iter().position(|b| b.name == name) {
        let buffer = &own.buffers[b];
        if !matches!(buffer.role, Role::In | Role::InOut) {
            let help = "only `in` and `inout` buffers are filled";
            report.note(key.span(), format!("`{name}` has no content before the call"), help);
        } else if let Some(fill) = fill::fill(context, value, buffer.elem, report) {
            fill::follows(value.span(), &fill, b, own.buffers, report);
            profile.fills.push((b, fill));
        }
    } else {
        unknown(key, own, report);
    }
    Some(())
}

fn unknown(key: &Spanned<String>, own: &Replaceable, report: &mut Report) {
    let name = key.get_ref();
    if own.scalars.iter().any(|s| s.name.get_ref() == name) {
        let help = "replace the draws it is computed from, or make it a draw";
        return report.note(key.span(), format!("`{name}` is computed from draws"), help);
    }
    let known: Vec<&str> = ["weight", "cache", "calls"]
        .into_iter()
        .chain(own.draws.iter().map(|d| d.name.get_ref().as_str()))
        .chain(own.buffers.iter().map(|b| b.name.as_str()))
        .collect();
    report.note(
        key.span(),
        format!("`{name}` is neither a draw nor a buffer"),
        suggest(name, known),
    );
}

fn word<T: Copy>(value: &Spanned<Loose>, known: &[(&str, T)], report: &mut Report) -> Option<T> {
    match value.get_ref() {
        Loose::Text(text) => report.choice(&Spanned::new(value.span(), text.clone()), known),
        other => report.bad(
            value.span(),
            format!("{} where a word should be", other.kind()),
            "write it in quotes",
        ),
    }
}

fn cache(value: &Spanned<Loose>, report: &mut Report) -> Option<Cache> {
    word(value, &[("warm", Cache::Warm), ("l2", Cache::L2), ("cold", Cache::Cold)], report)
}
