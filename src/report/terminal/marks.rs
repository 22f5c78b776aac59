//! A step's speed beside its marks.

use std::fmt::{self, Write};

use super::super::record::{Decide, MarkSource, Record, StepScore};
use super::{interval, ratio};

/// A step of several: `01: s = 7.31x (7.25 - 7.38), needs …`
pub(super) fn step_line(step: &StepScore, decide: Decide) -> String {
    let s = step.speedup;
    let marks = match marks(step.s_ref, step.pass_at, decide) {
        Some(marks) => format!(", {marks}"),
        None => ", no mark (not calibrated)".into(),
    };
    format!("{}: s = {} ({}){marks}", step.id, ratio(s.value), interval(s))
}

/// `needs s > 7.10 (reference solution: 7.31)`
pub(super) fn marks(s_ref: Option<f64>, pass_at: Option<f64>, decide: Decide) -> Option<String> {
    let mark = match decide {
        Decide::PassAt => pass_at?,
        Decide::SRef => s_ref?,
    };
    Some(match s_ref.filter(|_| decide == Decide::PassAt) {
        Some(s_ref) => format!("needs s > {} (reference solution: {})", ratio(mark), ratio(s_ref)),
        None => format!("needs s > {}", ratio(mark)),
    })
}

/// Where the reference solution was timed in the same run: `s` against both marks.
pub(super) fn write_both_marks(out: &mut String, r: &Record) -> fmt::Result {
    let (Some(calibrated), Some(live)) = (&r.calibrated_marks, &r.live_marks) else {
        return Ok(());
    };
    for (name, set, source) in [
        ("calibrated", calibrated, MarkSource::Calibration),
        ("in this run", live, MarkSource::Live),
    ] {
        let reference = format!("{} ({})", ratio(set.s_ref.value), interval(set.s_ref));
        write!(out, "  {name}: reference solution {reference}, pass_at {}", ratio(set.pass_at))?;
        if let Some(lead) = set.lead {
            let [value, low, high] = [lead.value, lead.low, lead.high].map(|share| 100.0 * share);
            write!(out, ", {value:.1} % ({low:.1} - {high:.1} %) as fast as it")?;
        }
        match set.fast {
            Some(true) => write!(out, ": above")?,
            Some(false) => write!(out, ": not above")?,
            None => {}
        }
        let decides = if r.marks == Some(source) { " (decides)" } else { "" };
        writeln!(out, "{decides}")?;
    }
    Ok(())
}
