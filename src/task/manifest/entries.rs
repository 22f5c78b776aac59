//! `entry`: the library's public functions that must reach the scored ones.

use toml::Spanned;

use super::raw::Manifest;
use super::report::Report;
use crate::task::vocabulary::suggest;

/// Whether some function names this one as its public entry.
pub(super) fn is_entry(manifest: &Manifest, name: &str) -> bool {
    let mut named = manifest.function.values().filter_map(|t| t.get_ref().entry.as_ref());
    named.any(|e| e.get_ref() == name)
}

/// Puts the entries behind the scored functions. Returns all of them in order, as indices into the
/// manifest's tables, and for each the place in that order of its entry.
pub(super) fn place(
    manifest: &Manifest,
    scored: Vec<usize>,
    report: &mut Report,
) -> (Vec<usize>, Vec<Option<usize>>) {
    let mut order = scored.clone();
    let mut entries = Vec::new();
    for &function in &scored {
        let table = manifest.function.get_index(function).map(|(_, table)| table.get_ref());
        let name = table.and_then(|t| t.entry.as_ref());
        let index = name.and_then(|name| find(manifest, name, &scored, report));
        entries.push(index.map(|index| {
            order.iter().position(|&i| i == index).unwrap_or_else(|| {
                order.push(index);
                order.len() - 1
            })
        }));
    }
    entries.resize(order.len(), None);
    (order, entries)
}

/// The function that is named as an entry, if it may be one.
fn find(
    manifest: &Manifest,
    name: &Spanned<String>,
    scored: &[usize],
    report: &mut Report,
) -> Option<usize> {
    let Some((index, _, table)) = manifest.function.get_full(name.get_ref().as_str()) else {
        let help = suggest(name.get_ref(), manifest.function.keys().map(|k| k.get_ref().as_str()));
        let message = format!("there is no `[function.{}]`", name.get_ref());
        return report.bad(name.span(), message, help);
    };
    if scored.contains(&index) {
        let message = format!("`{}` is scored by a step itself", name.get_ref());
        let help = "an entry is a function that no step names: it is called, not timed";
        return report.bad(name.span(), message, help);
    }
    if let Some(own) = &table.get_ref().entry {
        return report.bad(own.span(), "an entry has no entry of its own", "leave the key out");
    }
    Some(index)
}
