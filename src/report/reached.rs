//! Whether the library's public entries reach what is scored, a line a function.

use std::fmt::Write;

use super::record::{Function, Reached, Witness};

/// A line for each function whose entry was looked at.
pub fn render(functions: &[Function]) -> String {
    let mut out = String::new();
    for f in functions {
        if let Some(reached) = &f.reached {
            // Writing to a string can't fail.
            let _ = writeln!(out, "{}: {}", f.name, sentence(reached));
        }
    }
    out
}

fn sentence(r: &Reached) -> String {
    let because = r.reason.as_ref().map_or(String::new(), |why| format!(" ({why})"));
    let entry = &r.entry;
    match (r.method, r.executions) {
        (Witness::Breakpoint, Some(n)) => format!(
            "{} calls of `{entry}` executed it {} times, the reference's {} (hardware breakpoint)",
            r.calls, n.candidate, n.reference
        ),
        (Witness::Breakpoint | Witness::Elf, _) => {
            format!("`{entry}` refers to it, as the library's file shows{because}")
        }
        (Witness::Nobody, _) => {
            format!("whether `{entry}` calls it can't be seen here{because}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::record::Executions;

    #[test]
    fn the_witness_is_named() {
        let mut reached = Reached {
            entry: "api".into(),
            method: Witness::Breakpoint,
            reason: None,
            calls: 40,
            executions: Some(Executions { reference: 40, candidate: 39 }),
        };
        assert_eq!(
            sentence(&reached),
            "40 calls of `api` executed it 39 times, the reference's 40 (hardware breakpoint)"
        );
        reached.reason = Some("EACCES".into());
        reached.executions = None;
        reached.method = Witness::Elf;
        assert!(sentence(&reached).ends_with("library's file shows (EACCES)"));
        reached.method = Witness::Nobody;
        assert!(sentence(&reached).starts_with("whether `api` calls it can't be seen here"));
    }
}
