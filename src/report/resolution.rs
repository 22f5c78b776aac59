//! What a machine can resolve, measured: the text of `doctor --measure`.

use std::fmt::Write;

use comfy_table::Cell;
use serde::Serialize;

use super::terminal::{self, Style};

/// Small functions against copies of themselves: all that differs is the machine's noise.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Resolution {
    /// Time spent, seconds.
    pub seconds: u64,
    /// Each function.
    pub functions: Vec<Measurement>,
}

/// One function against its copy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measurement {
    /// Name.
    pub name: String,
    /// Its time, ns a call.
    pub reference_ns: f64,
    /// The stopwatch's part of a call, already taken off, ns.
    pub overhead_ns: f64,
    /// The stopwatch's whole round trip, ns a request.
    pub bell_ns: f64,
    /// ln of the ratio of the two copies; the truth is 0.
    pub difference: f64,
    /// Half of its 95 % interval.
    pub half_width: f64,
    /// Fresh pairs of processes.
    pub replicates: u64,
}

impl Measurement {
    /// The smallest share by which a function like this must differ to be told from its copy.
    pub fn resolves(&self) -> f64 {
        self.half_width.max(self.difference.abs())
    }

    /// Whether more than half of what was timed is the function itself.
    fn is_clear(&self) -> bool {
        self.reference_ns > self.overhead_ns
    }
}

/// For a terminal or a file.
pub fn render(r: &Resolution, style: Style) -> String {
    let head = ["function", "a call", "stopwatch", "differs by", "95 %", "replicates"];
    let mut table = terminal::table(&head, &[1, 2, 3, 4, 5], style);
    for m in &r.functions {
        table.add_row([
            Cell::new(&m.name),
            Cell::new(terminal::time(m.reference_ns)),
            Cell::new(terminal::time(m.overhead_ns)),
            Cell::new(format!("{:+.2} %", 100.0 * m.difference.exp_m1())),
            Cell::new(format!("±{:.2} %", 100.0 * m.half_width)),
            Cell::new(m.replicates),
        ]);
    }
    let mut out =
        format!("Small functions against copies of themselves, {} s:\n{table}\n", r.seconds);
    let clear = r.functions.iter().filter(|m| m.is_clear());
    // Writing to a string can't fail.
    if let Some(worst) = clear.max_by(|a, b| a.resolves().total_cmp(&b.resolves())) {
        let (share, name) = (100.0 * worst.resolves(), &worst.name);
        let _ = writeln!(
            out,
            "In such a time this machine tells differences above {share:.2} % (worst: {name})."
        );
    }
    for m in r.functions.iter().filter(|m| !m.is_clear()) {
        let (share, name) = (100.0 * m.resolves(), &m.name);
        let _ = writeln!(
            out,
            "Functions shorter than the stopwatch's own part, such as {name}: above {share:.1} %."
        );
    }
    if let Some(m) = r.functions.first() {
        let _ = writeln!(out, "The stopwatch's round trip takes {}.", terminal::time(m.bell_ns));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measurement(name: &str, difference: f64, half_width: f64, overhead_ns: f64) -> Measurement {
        Measurement {
            name: name.into(),
            reference_ns: 100.0,
            overhead_ns,
            bell_ns: 300.0,
            difference,
            half_width,
            replicates: 20,
        }
    }

    #[test]
    fn the_worst_function_says_what_can_be_told() {
        let functions = vec![
            measurement("quiet", 0.001, 0.002, 20.0),
            measurement("biased", -0.004, 0.003, 20.0),
            measurement("tiny", 0.01, 0.03, 200.0),
        ];
        let text = render(&Resolution { seconds: 60, functions }, Style::Plain);
        assert!(text.contains("differences above 0.40 % (worst: biased)"), "{text}");
        assert!(text.contains("such as tiny: above 3.0 %"), "{text}");
        assert!(text.contains("round trip takes 300 ns"), "{text}");
    }
}
