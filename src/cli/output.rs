//! What commands print on stdout.

use std::io::{self, Write};

use serde::Serialize;

use super::error::{CliError, Exit};
use crate::report::record::Record;
use crate::report::terminal::{self, Style};
use crate::verdict::error::EngineError;

/// Prints text. A reader that has gone away (`| head`) is no error.
pub fn text(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(EngineError::System { act: "can't write to stdout".into(), source: e }.into())
        }
        _ => Ok(()),
    }
}

/// Prints a value as JSON, and nothing else.
pub fn json(value: &impl Serialize) -> Result<(), CliError> {
    let json = serde_json::to_string_pretty(value)
        .map_err(|e| EngineError::System { act: "can't write JSON".into(), source: e.into() })?;
    text(&format!("{json}\n"))
}

/// Prints a record as JSON or for people.
pub fn record(record: &Record, as_json: bool, require_pass: bool) -> Result<Exit, CliError> {
    if as_json {
        json(record)?;
    } else {
        text(&terminal::render(record, Style::of_stdout()))?;
    }
    Ok(Exit::of(record, require_pass))
}
