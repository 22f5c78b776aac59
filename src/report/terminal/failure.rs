//! A failure, for people.

use std::fmt::{self, Write};

use super::printable;
use crate::report::hexdump;
use crate::report::record::{Again, Failure, Smallest};

/// What happened, where, the smallest call that fails, and how to see it again.
pub(super) fn write_failure(out: &mut String, f: &Failure) -> fmt::Result {
    match &f.function {
        Some(function) => writeln!(out, "{function}: {}", printable(&f.message))?,
        None => writeln!(out, "{}", printable(&f.message))?,
    }
    if let Some(case) = &f.case {
        writeln!(out, "  case: {case}")?;
    }
    if let Some(difference) = &f.difference {
        out.push_str(&hexdump::render(difference));
    }
    if let Some(log) = &f.log {
        for line in log.lines() {
            writeln!(out, "  | {}", printable(line))?;
        }
    }
    match f.again {
        Some(Again::AfterOthers) => {
            writeln!(out, "  alone it does not fail: it depends on what was called before")?;
        }
        Some(Again::NotAgain) => writeln!(
            out,
            "  in a fresh process it did not fail, even after the same calls: it depends on \
             something else, such as an address, the time or memory that was not set"
        )?,
        Some(Again::Alone) | None => {}
    }
    if let Some(replay) = &f.replay {
        writeln!(out, "  again: {replay}")?;
    }
    f.smallest.as_ref().map_or(Ok(()), |small| write_smallest(out, small, f))
}

fn write_smallest(out: &mut String, small: &Smallest, f: &Failure) -> fmt::Result {
    let after = match small.after {
        0 => String::new(),
        1 => " after one other call".into(),
        n => format!(" after {n} other calls"),
    };
    writeln!(out, "smallest call found that fails{after} ({} tried):", small.attempts)?;
    writeln!(out, "  {}", small.case)?;
    if small.message != f.message {
        writeln!(out, "  {}", printable(&small.message))?;
    }
    for input in &small.inputs {
        let shown = input.begin.len() as u64 / 2;
        let more = if input.bytes > shown { " ..." } else { "" };
        let bytes: Vec<&str> = input
            .begin
            .as_bytes()
            .chunks(2)
            .filter_map(|pair| std::str::from_utf8(pair).ok())
            .collect();
        writeln!(out, "  `{}`, {} bytes: {}{more}", input.name, input.bytes, bytes.join(" "))?;
    }
    if let Some(difference) = small.difference.as_ref().filter(|d| f.difference.as_ref() != Some(d))
    {
        out.push_str(&hexdump::render(difference));
    }
    match &small.replay {
        Some(replay) if f.replay.as_ref() != Some(replay) => writeln!(out, "  again: {replay}"),
        _ => Ok(()),
    }
}
