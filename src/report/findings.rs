//! What `lint` found, for people.

use super::terminal::Style;
use crate::task::lint::{Finding, Severity};

/// One paragraph a finding, then a count; ends in a line break.
pub fn render(task: &str, findings: &[Finding], style: Style) -> String {
    let mut out = String::new();
    for f in findings {
        let (word, colour) = match f.severity {
            Severity::Error => ("error", "\x1b[1;31m"),
            Severity::Warning => ("warning", "\x1b[1;33m"),
        };
        let (on, off) = if style == Style::Coloured { (colour, "\x1b[0m") } else { ("", "") };
        out += &format!("{on}{word}{off}: {}: {}\n  {}\n", f.place, f.message, f.help);
    }
    let errors = findings.iter().filter(|f| f.severity == Severity::Error).count();
    let warnings = findings.len() - errors;
    out += &match (errors, warnings) {
        (0, 0) => format!("{task}: nothing to complain about\n"),
        _ => format!("{task}: {}, {}\n", count(errors, "error"), count(warnings, "warning")),
    };
    out
}

fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_it_shows() {
        let finding = |severity| Finding {
            severity,
            place: "function.f".into(),
            message: "m".into(),
            help: "h".into(),
        };
        assert_eq!(render("t", &[], Style::Plain), "t: nothing to complain about\n");
        let both = [finding(Severity::Error), finding(Severity::Warning)];
        let text = render("t", &both, Style::Plain);
        assert!(text.starts_with("error: function.f: m\n  h\nwarning: "), "{text}");
        assert!(text.ends_with("t: 1 error, 1 warning\n"), "{text}");
        assert!(render("t", &both, Style::Coloured).contains('\x1b'));
    }
}
