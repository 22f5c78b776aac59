//! Which of the declared classes occurred.

use std::fmt::{self, Write};

use crate::report::record::{Coverage, Function};

/// A line a function: how many classes of each kind occurred, and which did not.
pub fn write_coverage(out: &mut String, functions: &[Function]) -> fmt::Result {
    for f in functions.iter().filter(|f| !f.coverage.is_empty()) {
        let kinds = f.coverage.iter().map(|c: &Coverage| {
            let mut text = format!("{} {} of {}", c.what, c.seen, c.classes);
            if let Some(first) = c.missing.first() {
                let _ =
                    write!(text, " (not {first}{})", if c.missing.len() > 1 { ", …" } else { "" });
            }
            text
        });
        writeln!(out, "{}: {}", f.name, kinds.collect::<Vec<_>>().join("; "))?;
    }
    Ok(())
}
