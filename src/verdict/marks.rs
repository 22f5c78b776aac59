//! The marks that a step is held against: those of its calibration, and those of this very run.

use super::calibration::StepCalibration;
use super::end::End;
use super::error::EngineError;
use super::race::{Race, Timed};
use super::score::{self, Marks};
use super::trial::Trial;
use crate::build::Overlay;
use crate::report::record::{Decide, MarkSet, MarkSource, Record};
use crate::stats::{Estimate, StepEstimate};
use crate::timer::{self, Budget, CONFIDENCE};

/// When the reference solution is timed in the same run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Live {
    /// It is what is graded.
    Never,
    /// Where the calibration is another processor's.
    Elsewhere,
    /// Always.
    Always,
}

impl Trial<'_> {
    /// Finds the marks. A calibration holds for the processor it was made on; on another one the
    /// reference solution is timed here and now, and its calibrated guard band kept. Candidate
    /// code is not mapped yet, so it can't have a say.
    pub(super) fn find_marks(
        &self,
        race: &mut Race<'_, '_>,
        timed: &[Timed],
        budget: Budget,
        record: &mut Record,
    ) -> Result<(), End> {
        let (Some(step), [only]) = (self.step, timed) else { return Ok(()) };
        let id = &race.setup.task.steps[step].id;
        let Some(calibrated) = self.calibration.step.get(id) else { return Ok(()) };
        let elsewhere = calibrated.setting.cpu != record.machine.cpu;
        let live = match self.live {
            Live::Never => false,
            Live::Elsewhere => elsewhere,
            Live::Always => true,
        };
        let mut marks = Marks { s_ref: calibrated.s_ref, pass_at: calibrated.pass_at };
        record.marks = Some(MarkSource::Calibration);
        record.calibrated_marks = Some(of_calibration(calibrated));
        if live {
            let layouts = &self.layouts().1[..race.reference.layouts.len()];
            let solution = Overlay::Solution { step };
            let solution =
                race.setup.build("reference solution", solution, layouts, race.progress)?;
            let mut again = [only.again()];
            let why = if elsewhere { " (the calibration is another processor's)" } else { "" };
            let what = format!("timing the reference solution{why}");
            race.progress.stage(&what, Some(budget.seconds as u64));
            race.time_own(&solution, &mut again, budget)?;
            let [again] = &again;
            let functions = timer::estimates(race.setup.task, &again.targets, &again.results)?;
            let s = StepEstimate::of_functions(functions, CONFIDENCE)?.speedup();
            let pass_at = s.value * calibrated.pass_at / calibrated.s_ref;
            record.live_marks = Some(set(s, pass_at));
            if elsewhere {
                if !calibrated.clears(pass_at.ln()) {
                    return Err(unfit(s.value, pass_at).into());
                }
                marks = Marks { s_ref: s.value, pass_at };
                record.marks = Some(MarkSource::Live);
            }
        }
        (record.s_ref, record.pass_at) = (Some(marks.s_ref), Some(marks.pass_at));
        Ok(())
    }
}

/// Nothing on this processor tells a solution from an unchanged library.
fn unfit(s_ref: f64, pass_at: f64) -> EngineError {
    EngineError::UnfitMachine {
        reason: format!(
            "the reference solution reaches s = {s_ref:.3} on this processor, so that the mark \
             would be {pass_at:.3}, which an unchanged library could pass"
        ),
    }
}

fn of_calibration(step: &StepCalibration) -> MarkSet {
    let [low, high] = step.s_ref_interval;
    set(Estimate { value: step.s_ref, low, high }, step.pass_at)
}

fn set(s_ref: Estimate, pass_at: f64) -> MarkSet {
    MarkSet { s_ref: s_ref.into(), pass_at, fast: None, confident: None }
}

/// Holds `s` against each of the marks that there are.
pub fn hold(s: Estimate, decide: Decide, record: &mut Record) {
    for set in [&mut record.calibrated_marks, &mut record.live_marks].into_iter().flatten() {
        let marks = Marks { s_ref: set.s_ref.value, pass_at: set.pass_at };
        let speed = score::speed(s, marks, decide);
        (set.fast, set.confident) = (Some(speed.fast), Some(speed.confident));
    }
}
