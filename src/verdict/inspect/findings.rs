//! What tools write, cut down to what was asked, and shown.

use std::fmt::Write;

use super::{Inspection, Tool};
use crate::report::terminal::printable;

/// Lines of a report that are shown: places come first, maps of shadow memory later.
const LINES: usize = 60;

/// A sanitizer's report: all of it, from its first line on.
pub(super) fn sanitizers(log: &str) -> String {
    let begin = log.lines().position(|l| l.contains("ERROR: ") || l.contains("runtime error: "));
    let Some(begin) = begin else { return String::new() };
    let end = |l: &&str| !l.contains("Shadow bytes around the buggy address");
    lines(log.lines().skip(begin).take_while(end))
}

/// memcheck's reports of what depends on a secret: those whose origin is a client request. Others
/// are of memory that was never written, which is no secret.
pub(super) fn memcheck(log: &str) -> String {
    let mut found = Vec::new();
    for report in log.split_inclusive('\n').collect::<Vec<_>>().split(|line| bare(line).is_empty())
    {
        let lines: Vec<&str> = report.iter().map(|line| bare(line)).collect();
        let has = |text: &str| lines.iter().any(|line| line.contains(text));
        if has("ninitialised value") && has("created by a client request") {
            // What follows is where the driver made it undefined.
            let origin = lines.iter().position(|l| l.contains("created by a client request"));
            found.extend(lines.into_iter().take(origin.unwrap_or(usize::MAX)).map(str::to_owned));
            found.push(String::new());
        }
    }
    lines(found.iter().map(String::as_str))
}

/// A line without the process number before it.
fn bare(line: &str) -> &str {
    let line = line.trim_end();
    match line.strip_prefix("==").and_then(|rest| rest.split_once("==")) {
        Some((number, rest)) if number.bytes().all(|b| b.is_ascii_digit()) => rest.trim_start(),
        _ => line,
    }
}

fn lines<'l>(all: impl Iterator<Item = &'l str>) -> String {
    let all: Vec<&str> = all.take(LINES).collect();
    all.join("\n").trim_end().to_owned()
}

pub(super) fn render(inspection: &Inspection) -> String {
    let mut out = String::new();
    let _ = write(&mut out, inspection);
    out
}

fn write(out: &mut String, i: &Inspection) -> std::fmt::Result {
    for f in &i.functions {
        let Some(finding) = &f.finding else {
            writeln!(out, "{}: nothing found in {} calls", f.name, f.called)?;
            continue;
        };
        writeln!(out, "{}: call {} of {}, {}", f.name, f.called, f.planned, finding.case)?;
        if let Some(gate) = &finding.gate {
            writeln!(out, "  the gate: {}", printable(gate))?;
        }
        for line in finding.report.lines() {
            writeln!(out, "  | {}", printable(line))?;
        }
    }
    let found = i.functions.iter().filter(|f| f.finding.is_some()).count();
    let what = match i.tool {
        Tool::Sanitizers => "by the sanitizers or the gate",
        Tool::Memcheck => "that depends on a secret (or by the gate)",
    };
    let all = i.functions.len();
    writeln!(out, "{}: something found {what} in {found} of {all} functions; no verdict", i.task)?;
    writeln!(out, "seed {}, {:.1} s", i.seed, i.seconds)
}
