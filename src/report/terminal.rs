//! A record as a person reads it: a table of functions, the verdict, what went wrong.

use std::fmt::{self, Write};

use comfy_table::{Attribute, Cell, CellAlignment, Color, Table, presets};

mod accuracy;
mod coverage;
mod failure;
mod marks;
mod reuse;

use self::failure::write_failure;
use self::marks::{marks, step_line, write_both_marks};
use self::reuse::reuse_line;
use super::record::{
    Capability, Function, Kind, MarkSource, Outcome, Protection, Record, Speedup, Stopwatch,
};
use super::{counting, noise, reached, secrets};

/// How text is dressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// No escape codes at all.
    Plain,
    /// Colours, for a terminal.
    Coloured,
}

impl Style {
    /// For stdout as it is: coloured on a terminal, unless the environment says `NO_COLOR`.
    pub fn of_stdout() -> Self {
        use std::io::IsTerminal;
        let plain = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        if std::io::stdout().is_terminal() && !plain { Style::Coloured } else { Style::Plain }
    }
}

/// The whole report, ending in a line break.
pub fn render(record: &Record, style: Style) -> String {
    let mut out = String::new();
    // Writing to a string can't fail.
    let _ = write_report(&mut out, record, style);
    out
}

fn write_report(out: &mut String, record: &Record, style: Style) -> fmt::Result {
    if !record.functions.is_empty() {
        writeln!(out, "{}", functions(record, style))?;
    }
    for failure in record.failure.iter().chain(&record.more_failures) {
        writeln!(out)?;
        write_failure(out, failure)?;
    }
    if record.step.is_none() {
        for step in &record.steps {
            writeln!(out, "{}", step_line(step, record.decide))?;
        }
    }
    accuracy::write_errors(out, &record.functions)?;
    if record.kind == Kind::Check {
        coverage::write_coverage(out, &record.functions)?;
    }
    writeln!(out)?;
    write_verdict(out, record, style)?;
    write_notes(out, record)
}

/// A table in the house style: numbers to the right.
pub(crate) fn table(header: &[&str], numbers: &[usize], style: Style) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY).set_header(header);
    match style {
        Style::Plain => table.force_no_tty(),
        Style::Coloured => table.enforce_styling(),
    };
    for column in numbers {
        if let Some(column) = table.column_mut(*column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn functions(record: &Record, style: Style) -> Table {
    let timed = record.functions.iter().any(|f| f.speedup.is_some());
    let mut table = if timed {
        let header =
            ["step", "function", "outcome", "speedup", "95 %", "reference", "candidate", "checked"];
        table(&header, &[3, 4, 5, 6, 7], style)
    } else {
        table(&["step", "function", "outcome", "checked"], &[3], style)
    };
    for f in &record.functions {
        let mut row = vec![Cell::new(&f.step), Cell::new(&f.name), outcome_cell(f.outcome, style)];
        if timed {
            row.extend(timing(f, style));
        }
        row.push(Cell::new(f.checked_calls));
        table.add_row(row);
    }
    table
}

fn timing(f: &Function, style: Style) -> [Cell; 4] {
    let text = |value: Option<String>| Cell::new(value.unwrap_or_else(|| "-".into()));
    let mut speedup = text(f.speedup.map(|s| ratio(s.value)));
    if let Some(s) = f.speedup.filter(|_| style == Style::Coloured) {
        if s.low > 1.0 {
            speedup = speedup.fg(Color::Green);
        } else if s.high < 1.0 {
            speedup = speedup.fg(Color::Red);
        }
    }
    [
        speedup,
        text(f.speedup.map(interval)),
        text(f.reference_ns.map(time)),
        text(f.candidate_ns.map(time)),
    ]
}

fn outcome_cell(outcome: Option<Outcome>, style: Style) -> Cell {
    let Some(outcome) = outcome else { return Cell::new("-") };
    let cell = Cell::new(outcome);
    match (style, outcome) {
        (Style::Plain, _) => cell,
        (_, Outcome::Pass) => cell.fg(Color::Green),
        (_, Outcome::TooSlow) => cell.fg(Color::Yellow),
        _ => cell.fg(Color::Red).add_attribute(Attribute::Bold),
    }
}

fn write_verdict(out: &mut String, r: &Record, style: Style) -> fmt::Result {
    let colour = match r.outcome {
        Outcome::Pass => "\x1b[1;32m",
        Outcome::TooSlow => "\x1b[1;33m",
        _ => "\x1b[1;31m",
    };
    let (on, off) = if style == Style::Coloured { (colour, "\x1b[0m") } else { ("", "") };
    let step = r.step.as_deref().map(|s| format!(" {s}")).unwrap_or_default();
    write!(out, "{}{step}: {on}{}{off}", r.task, r.outcome)?;
    if let Some(reward) = r.reward {
        write!(out, ", reward {reward}")?;
    }
    writeln!(out, ". {}", r.message)?;
    if let Some(s) = r.speedup {
        write!(out, "s = {} ({})", ratio(s.value), interval(s))?;
        if let Some(marks) = marks(r.s_ref, r.pass_at, r.decide) {
            write!(out, ", {marks}")?;
        }
        if r.confident == Some(false) {
            let whose = if r.marks == Some(MarkSource::Live) { " of the lead" } else { "" };
            write!(out, "; the interval{whose} holds the mark: not confident")?;
        }
        writeln!(out)?;
        write_both_marks(out, r)?;
    }
    if r.needs_human {
        // With a verdict on the speed nothing failed: a bound decides.
        let odd = match r.fast {
            Some(_) => {
                "The reference solution was slower in this run than drift or chance explains"
            }
            None => "Something odd happened while candidate code was running",
        };
        writeln!(out, "{odd}: have a look.")?;
    }
    Ok(())
}

fn write_notes(out: &mut String, r: &Record) -> fmt::Result {
    for f in r.functions.iter().filter(|f| f.outcome == Some(Outcome::Pass)) {
        if let Some(message) = &f.message {
            writeln!(out, "{}: {message}", f.name)?;
        }
    }
    if !r.ignored_edits.is_empty() {
        let files: Vec<String> = r.ignored_edits.iter().map(|f| printable(f)).collect();
        writeln!(out, "Edits without effect (not editable): {}", files.join(", "))?;
    }
    out.push_str(&reached::render(&r.functions));
    if let Some(reuse) = &r.reuse {
        writeln!(out, "{}", reuse_line(reuse))?;
    }
    out.push_str(&secrets::render(&r.functions));
    if let Some(bias) = r.floor_bias {
        write!(out, "noise: the floor at 1 lifts s by at most {:.2} %", bias * 100.0)?;
        if let Some(floor) = r.noise_floor {
            write!(out, "; the reference against itself differs by {:.2} %", floor * 100.0)?;
        }
        writeln!(out)?;
    }
    out.push_str(&noise::render(&r.noise));
    let m = &r.machine;
    write!(out, "machine: {}, {} core{}", m.cpu, m.cores, if m.cores == 1 { "" } else { "s" })?;
    if let Some(hypervisor) = &m.hypervisor {
        write!(out, ", {hypervisor}")?;
    }
    match m.stopwatch {
        Some(Stopwatch::Spin) => write!(out, ", stopwatch spins on its own core")?,
        Some(Stopwatch::Futex) => write!(out, ", stopwatch sleeps (one core: coarse)")?,
        None => {}
    }
    if let Some(priority) = &m.priority {
        write!(out, ", priority {priority}")?;
    }
    writeln!(out)?;
    if !r.capabilities.is_empty() {
        writeln!(out, "sandbox: {}", protections(&r.capabilities))?;
    }
    if r.kind != Kind::Check {
        out.push_str(&counting::render(&r.counters));
    }
    write!(out, "seed {}, {:.1} s", r.seed, r.seconds)?;
    if let Some(t) = r.timing {
        let share = 100.0 * t.inside / t.seconds;
        write!(out, ", of which {:.1} s timing ({share:.0} % inside timed calls)", t.seconds)?;
    }
    writeln!(out)
}

/// `5 of 7 protections proven; absent: seccomp, landlock`
pub fn protections(all: &[Capability]) -> String {
    let absent: Vec<&str> =
        all.iter().filter(|c| c.state == Protection::Absent).map(|c| c.name.as_str()).collect();
    let proven = all.len() - absent.len();
    let mut text = format!("{proven} of {} protections proven", all.len());
    if !absent.is_empty() {
        let _ = write!(text, "; absent: {}", absent.join(", "));
    }
    text
}

/// A ratio with three significant digits: `0.987`, `7.31`, `45.2`, `912`.
pub fn ratio(value: f64) -> String {
    format!("{}x", significant(value))
}

fn interval(s: Speedup) -> String {
    format!("{} - {}", significant(s.low), significant(s.high))
}

/// A time with its unit, from nanoseconds: `8.12 ns`, `812 ns`, `1.23 us`, `45.6 ms`, `2.00 s`.
pub fn time(ns: f64) -> String {
    let (value, unit) = match ns {
        // The bounds lie where three digits would round up to the next unit.
        ns if ns < 999.5 => (ns, "ns"),
        ns if ns < 999.5e3 => (ns / 1e3, "us"),
        ns if ns < 999.5e6 => (ns / 1e6, "ms"),
        ns => (ns / 1e9, "s"),
    };
    format!("{} {unit}", significant(value))
}

fn significant(value: f64) -> String {
    let decimals = match value.abs() {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        v if v >= 0.9995 => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

/// Text that a workspace may have had a hand in (compiler messages, file names): what a terminal
/// would obey instead of show is escaped.
pub fn printable(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let keep = !c.is_control() || c == '\t' || c == '\n';
            let escaped = if keep { None } else { Some(c.escape_default()) };
            escaped.into_iter().flatten().chain(keep.then_some(c))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::record::{
        Again, Content, Difference, Element, Failure, MarkSet, MarkSource, Smallest, StepScore,
    };
    use crate::report::sample_record;

    #[test]
    fn times_and_ratios_keep_three_digits() {
        for (ns, text) in [
            (8.123, "8.12 ns"),
            (99.96, "100 ns"),
            (999.4, "999 ns"),
            (999.6, "1.00 us"),
            (1234.0, "1.23 us"),
            (45_600_000.0, "45.6 ms"),
            (2e9, "2.00 s"),
        ] {
            assert_eq!(time(ns), text);
        }
        assert_eq!(ratio(0.98765), "0.988x");
        assert_eq!(ratio(7.314), "7.31x");
        assert_eq!(ratio(912.4), "912x");
    }

    #[test]
    fn a_pass() {
        insta::assert_snapshot!(render(&sample_record(Outcome::Pass), Style::Plain));
    }

    #[test]
    fn both_marks_are_shown_and_which_decides() {
        let mut record = sample_record(Outcome::Pass);
        let s_ref = Speedup { value: 8.0, low: 7.9, high: 8.1 };
        let lead = Some(Speedup { value: 0.97, low: 0.965, high: 0.975 });
        let (fast, confident) = (Some(false), Some(true));
        record.live_marks = Some(MarkSet {
            s_ref,
            pass_at: 7.9,
            guard: 0.0126,
            lead,
            functions: Vec::new(),
            fast,
            confident,
        });
        record.marks = Some(MarkSource::Live);
        let text = render(&record, Style::Plain);
        let lines: Vec<&str> = text.lines().filter(|l| l.contains("pass_at")).collect();
        assert_eq!(
            lines,
            [
                "  calibrated: reference solution 7.20x (7.15 - 7.25), pass_at 7.10x: above",
                "  in this run: reference solution 8.00x (7.90 - 8.10), pass_at 7.90x, 97.0 % (96.5 - \
                 97.5 %) as fast as it: not above (decides)",
            ]
        );
    }

    #[test]
    fn a_failure_shows_both_sides() {
        let mut record = sample_record(Outcome::WrongOutput);
        record.failure = Some(Failure {
            seed: Some(record.seed.clone()),
            case: Some("width = 17, height = 3".into()),
            difference: Some(Difference {
                place: "dst".into(),
                offset: 0x25,
                start: 0x10,
                expected: "00".repeat(32),
                actual: format!("{}7f{}", "00".repeat(21), "00".repeat(10)),
                element: Some(Element {
                    row: Some(2),
                    index: 3,
                    expected: "0".into(),
                    actual: "127".into(),
                    ulps: None,
                }),
            }),
            replay: Some("speedgate check simd --step 01 --seed 0011 --replay bilinear:17".into()),
            again: Some(Again::AfterOthers),
            smallest: Some(Smallest {
                after: 1,
                case: "width = 1, height = 1".into(),
                message: "output `dst` differs from the reference's".into(),
                difference: None,
                inputs: vec![Content { name: "src".into(), bytes: 100, begin: "00".repeat(64) }],
                replay: Some("speedgate check simd --replay rank:3,bilinear:17:width=1".into()),
                attempts: 40,
            }),
            ..Failure::plain(
                Some("bilinear".into()),
                "output `dst` differs from the reference's".into(),
            )
        });
        record.ignored_edits = vec!["Makefile".into()];
        record.needs_human = true;
        insta::assert_snapshot!(render(&record, Style::Plain));
    }

    #[test]
    fn a_bound_that_decides_is_no_oddity_of_the_candidates() {
        let mut record = sample_record(Outcome::Pass);
        record.needs_human = true;
        let text = render(&record, Style::Plain);
        assert!(text.contains("solution was slower in this run than drift or chance"), "{text}");
        record.fast = None;
        let text = render(&record, Style::Plain);
        assert!(text.contains("odd happened while candidate code was running"), "{text}");
    }

    #[test]
    fn all_steps_have_a_line_each() {
        let mut record = sample_record(Outcome::Pass);
        let speedup = record.speedup.unwrap();
        record.kind = Kind::Practice;
        (record.step, record.reward, record.speedup) = (None, None, None);
        let step = StepScore {
            id: "01-resizing".into(),
            speedup,
            s_ref: Some(7.2),
            pass_at: Some(7.1),
            fast: Some(true),
            confident: Some(true),
        };
        let open = StepScore {
            id: "02-blur".into(),
            s_ref: None,
            pass_at: None,
            fast: None,
            confident: None,
            ..step.clone()
        };
        record.steps = vec![step, open];
        insta::assert_snapshot!(render(&record, Style::Plain));
    }

    #[test]
    fn plain_text_has_no_escape_codes_and_colour_has() {
        for outcome in Outcome::ALL {
            let record = sample_record(outcome);
            assert!(!render(&record, Style::Plain).contains('\x1b'), "{outcome}");
            assert!(render(&record, Style::Coloured).contains('\x1b'), "{outcome}");
        }
    }

    #[test]
    fn a_workspace_can_not_drive_the_terminal() {
        let mut record = sample_record(Outcome::BuildFailed);
        record.failure = Some(Failure {
            log: Some("a.c:1: error: \x1b[2J\x07\u{9b}31m".into()),
            ..Failure::plain(None, "the candidate does not compile".into())
        });
        record.ignored_edits = vec!["\x1b]0;x\x07".into()];
        let text = render(&record, Style::Plain);
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
        assert!(text.contains("\\u{1b}[2J"));
    }
}
