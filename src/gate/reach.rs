//! Is the function that is scored the one that the library itself calls? While the library's public
//! entry answers cases of its own, hardware breakpoints count executions of the scored symbols in
//! the worker, from outside. Where breakpoints are refused, references in the file must do.

mod references;
#[cfg(test)]
mod tests;
mod watch;

use std::collections::BTreeSet;
use std::io;

use references::References;
use watch::{AT_ONCE, Watch};

use super::case::Case;
use super::run::{Gate, Stopped};
use super::schedule::Tally;
use crate::build::Library;
use crate::report::record::{Executions, Reached, Witness};
use crate::worker::{Worker, audited};

/// A worker and the library that it has loaded.
#[derive(Debug)]
pub struct Side<'a> {
    /// The worker, stopped.
    pub worker: &'a mut Worker,
    /// What was loaded.
    pub library: &'a Library,
}

/// A symbol of a function, with its place in both libraries.
#[derive(Debug)]
struct Symbol<'a> {
    name: &'a str,
    reference: u64,
    candidate: u64,
}

impl Gate<'_> {
    /// Puts `cases` of the function's public entry to both sides and looks whether it is reached.
    /// `None` for a function without an entry.
    ///
    /// # Errors
    /// As for [`Gate::run`], and [`Stopped::NotReached`].
    pub fn reach(
        &self,
        function: usize,
        cases: &[Case],
        reference: &mut Side<'_>,
        candidate: &mut Side<'_>,
    ) -> Result<Option<Reached>, Stopped> {
        let f = &self.task.functions[function];
        let Some(entry_index) = f.entry else { return Ok(None) };
        let entry = &self.task.functions[entry_index];
        let broken = |why: String| Stopped::Unreadable { function: f.name.clone(), why };
        let read = |library: &Library| audited(&library.path, &library.sha256).map_err(broken);
        let bytes = [read(reference.library)?, read(candidate.library)?];
        let [ours, theirs] = [&bytes[0], &bytes[1]].map(|b| References::read(b));
        let mut symbols = Vec::new();
        // A unit of several calls need not be reached with all of them.
        let called: BTreeSet<usize> = f.calls.iter().map(|c| c.symbol).collect();
        for name in called.into_iter().filter_map(|s| f.symbols.get(s)) {
            let place = |side: &Result<References<'_>, String>| {
                let side = side.as_ref().map_err(|why| broken(why.clone()))?;
                side.exported(name).ok_or_else(|| broken(format!("no symbol `{name}`")))
            };
            symbols.push(Symbol { name, reference: place(&ours)?, candidate: place(&theirs)? });
        }
        let mut reached = Reached {
            entry: entry.name.clone(),
            method: Witness::Breakpoint,
            reason: None,
            calls: 0,
            executions: Some(Executions { reference: 0, candidate: 0 }),
        };
        for some in symbols.chunks(AT_ONCE) {
            let places: Vec<u64> = some.iter().map(|s| s.reference).collect();
            let watch = Watch::set(reference.worker, &places);
            let places: Vec<u64> = some.iter().map(|s| s.candidate).collect();
            let watch = watch.and_then(|w| Ok((w, Watch::set(candidate.worker, &places)?)));
            let mut seen = Tally::new(&|_| {});
            self.run(cases, reference.worker, candidate.worker, &mut seen)?;
            reached.calls += seen.of(entry_index);
            let counts = watch.and_then(|(mut w, mut c)| Ok((w.counts()?, c.counts()?)));
            let (expected, counted) = match counts {
                Ok(counts) => counts,
                Err(error) => {
                    reached.reason = Some(refusal(&error));
                    break;
                }
            };
            for ((symbol, expected), counted) in some.iter().zip(expected).zip(counted) {
                if expected > 0 && counted == 0 {
                    return Err(missed(f.name.clone(), symbol.name, &entry.name, &reached));
                }
                if let Some(sum) = &mut reached.executions {
                    sum.reference += expected;
                    sum.candidate += counted;
                }
            }
        }
        if reached.reason.is_none() {
            return match reached.executions {
                Some(Executions { reference: 0, .. }) => {
                    let (function, entry) = (f.name.clone(), entry.name.clone());
                    Err(Stopped::NoEntry { function, entry })
                }
                _ => Ok(Some(reached)),
            };
        }
        reached.executions = None;
        let (Ok(ours), Ok(theirs)) = (&ours, &theirs) else {
            return Ok(Some(Reached { method: Witness::Nobody, ..reached }));
        };
        let from = entry.calls.iter().filter_map(|c| entry.symbols.get(c.symbol));
        let from: Vec<&str> = from.map(String::as_str).collect();
        match in_files(&from, &symbols, ours, theirs) {
            Ok(method) => Ok(Some(Reached { method, ..reached })),
            Err(symbol) => {
                reached.method = Witness::Elf;
                Err(missed(f.name.clone(), symbol, &entry.name, &reached))
            }
        }
    }
}

/// What the files alone tell: an error is a symbol that the reference's entries refer to, and the
/// candidate's do not.
fn in_files<'s>(
    entries: &[&str],
    symbols: &[Symbol<'s>],
    ours: &References<'_>,
    theirs: &References<'_>,
) -> Result<Witness, &'s str> {
    let leads = |side: &References<'_>, to: u64| {
        let mut from = entries.iter().filter_map(|name| side.exported(name));
        from.any(|entry| side.lead(entry, to))
    };
    let mut seen = Witness::Nobody;
    for symbol in symbols.iter().filter(|s| leads(ours, s.reference)) {
        seen = Witness::Elf;
        if !leads(theirs, symbol.candidate) {
            return Err(symbol.name);
        }
    }
    Ok(seen)
}

fn missed(function: String, symbol: &str, entry: &str, reached: &Reached) -> Stopped {
    let seen = match reached.method {
        Witness::Breakpoint => format!("never executed `{symbol}` (hardware breakpoint)"),
        _ => format!("has no reference to `{symbol}` (library file)"),
    };
    let message = format!(
        "the library's own `{entry}` {seen}, as the reference's does: what is timed is not what \
         the library calls. Let it call that function; a copy that the compiler puts in place of \
         the call is another one"
    );
    Stopped::NotReached { function, message }
}

/// Why breakpoints could not be used.
fn refusal(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(code) => {
            let name = nix::errno::Errno::from_raw(code);
            format!("no hardware breakpoints: perf_event_open: {name:?}")
        }
        None => format!("no hardware breakpoints: {error}"),
    }
}
