//! The marks that a step is held against: those of its calibration, and, where these are too near or
//! another processor's, the reference solution itself. A duel is one contest more, with the solution
//! in place of the reference: blocks of both, input by input, so that whatever disturbs the hour
//! disturbs both alike.

use super::calibration::StepCalibration;
use super::end::End;
use super::error::EngineError;
use super::outline;
use super::race::{Race, Timed};
use super::score::{self, Marks};
use super::setup::Setup;
use super::trial::Trial;
use crate::build::{BuildError, Built, Overlay};
use crate::report::progress::Progress;
use crate::report::record::{Decide, MarkSet, MarkSource, Record};
use crate::sandbox::Party;
use crate::stats::Estimate;
use crate::timer::{Budget, CONFIDENCE};

/// How far (ln) a machine's s may drift from one hour to another: a judgement. A reference solution
/// was seen to come out 10 % lower two hours after its calibration (METHODOLOGY.md, "The mark").
pub const DRIFT: f64 = 0.15;

/// When the candidate is timed against the reference solution, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Live {
    /// It is what is graded.
    Never,
    /// Where the calibration is another processor's, or too near for a machine that drifts.
    Near,
    /// Always.
    Always,
}

/// A step whose reference solution the candidate is timed against.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rival<'c> {
    step: usize,
    calibrated: &'c StepCalibration,
}

impl StepCalibration {
    /// Whether it was made on another processor.
    fn is_elsewhere(&self, record: &Record) -> bool {
        self.setting.cpu != record.machine.cpu
    }
}

impl Trial<'_> {
    /// The calibration's marks.
    pub(super) fn find_marks(&self, record: &mut Record) {
        let Some(calibrated) = self.calibrated(record) else { return };
        let [low, high] = calibrated.s_ref_interval;
        let s_ref = Estimate { value: calibrated.s_ref, low, high };
        record.calibrated_marks = Some(set(s_ref, calibrated.pass_at));
        adopt(MarkSource::Calibration, record);
    }

    /// The step, if its calibration can't tell whether `s` is enough.
    pub(super) fn rival(&self, record: &Record, s: Estimate) -> Option<Rival<'_>> {
        let (step, calibrated) = (self.step?, self.calibrated(record)?);
        let marks = Marks { s_ref: calibrated.s_ref, pass_at: calibrated.pass_at };
        let mark = marks.deciding(record.decide).ln();
        let near = (s.value.ln() - mark).abs() <= DRIFT;
        let needed = match self.live {
            Live::Never => false,
            Live::Always => true,
            Live::Near => calibrated.is_elsewhere(record) || near,
        };
        needed.then_some(Rival { step, calibrated })
    }

    /// Times the candidate against the solution; what was measured against the reference (`timed`)
    /// says how fast that makes the solution, whose marks decide.
    pub(super) fn duel(
        &self,
        race: &mut Race<'_, '_>,
        Rival { step, calibrated }: Rival<'_>,
        candidate: &Built,
        timed: &mut Timed,
        budget: Budget,
        record: &mut Record,
    ) -> Result<(), End> {
        let (setup, progress, task) = (race.setup, race.progress, race.setup.task);
        let layouts = race.reference.layouts.len();
        let solution = self.build_solution(setup, step, layouts, progress)?;
        // No candidate process is alive until the duel itself: it has no hand in what comes before.
        progress.stage("timing the reference solution", None);
        let mut ours = [timed.again()];
        race.time_own(&solution, &mut ours, budget.control()).map_err(beside)?;
        let [ours] = ours;
        let mut race = race.against(&solution, Some(ours.results.before.clone()));
        let twin = self.twin(&race, Overlay::Solution { step }, budget)?;
        let budget = budget.duel().within(task.limits.timing_seconds as f64);
        let mut duel = race.prepare_duel(&twin, step, budget).map_err(beside)?;
        progress.stage("timing it against the reference solution", Some(budget.seconds as u64));
        let theirs = std::slice::from_mut(&mut duel);
        race.time(candidate, Party::Candidate, theirs, budget).map_err(beside)?;
        timed.results.seconds += ours.results.seconds + duel.results.seconds;
        timed.results.inside += ours.results.inside + duel.results.inside;

        let (s, leads) = (timed.estimate(task)?, duel.estimate(task)?.functions);
        let found = s.rival(&leads, &ours.estimate(task)?.functions, CONFIDENCE)?;
        // What noise alone reaches is never enough, however slow the solution is here; nor, where the
        // calibration was made, is what no drift explains.
        let mut least = calibrated.least_mark();
        if !calibrated.is_elsewhere(record) {
            least = least.max(calibrated.pass_at.ln() - DRIFT);
        }
        let pass_at = found.ln_s - calibrated.guard;
        // Then it says nothing of who is faster: a person should know.
        let held = pass_at < least;
        record.needs_human |= held;
        let reach = s.ln.half_width().hypot(found.lead.half_width());
        let (value, low, high) = (found.ln_s, found.ln_s - reach, found.ln_s + reach);
        let s_ref = Estimate { value, low, high }.max(least).exp();
        let mut live = set(s_ref, pass_at.max(least).exp());
        live.lead = Some(found.lead.exp().into());
        live.functions = outline::leads(task, &duel, &leads);
        // Against the solution only the lead is uncertain; against what holds the mark up, s is.
        let [low, high] = [found.lead.low, found.lead.high].map(|end| found.ln_s + end);
        let beside = Estimate { low, high, ..s.ln };
        stand(&mut live, if held { s.ln } else { beside }.exp(), record.decide);
        record.live_marks = Some(live);
        adopt(MarkSource::Live, record);
        Ok(())
    }

    /// Builds the reference solution of a step, in so many layouts.
    pub(super) fn build_solution(
        &self,
        setup: &Setup<'_>,
        step: usize,
        layouts: usize,
        progress: &dyn Progress,
    ) -> Result<Built, BuildError> {
        let seeds = &self.layouts()[2][..layouts];
        setup.build("reference solution", Overlay::Solution { step }, seeds, progress)
    }

    /// Of the step that is tried.
    pub(super) fn calibrated(&self, record: &Record) -> Option<&StepCalibration> {
        self.calibration.step.get(record.step.as_ref()?)
    }
}

/// Where "the reference" is the solution, messages have to say so.
pub(super) fn beside(end: End) -> End {
    let say = |message: &str| format!("with the reference solution as the reference: {message}");
    match end {
        End::Error(EngineError::Reference(why)) => End::Error(EngineError::Reference(say(&why))),
        End::Verdict(mut end) => {
            end.1.message = say(&end.1.message);
            End::Verdict(end)
        }
        end => end,
    }
}

/// Lets the marks of a source decide.
fn adopt(source: MarkSource, record: &mut Record) {
    let set = match source {
        MarkSource::Calibration => &record.calibrated_marks,
        MarkSource::Live => &record.live_marks,
    };
    record.marks = Some(source);
    record.s_ref = set.as_ref().map(|set| set.s_ref.value);
    record.pass_at = set.as_ref().map(|set| set.pass_at);
}

fn set(s_ref: Estimate, pass_at: f64) -> MarkSet {
    let (s_ref, functions) = (s_ref.into(), Vec::new());
    MarkSet { s_ref, pass_at, lead: None, functions, fast: None, confident: None }
}

/// Holds `s` against a set of marks.
fn stand(set: &mut MarkSet, s: Estimate, decide: Decide) {
    let marks = Marks { s_ref: set.s_ref.value, pass_at: set.pass_at };
    let speed = score::speed(s, marks, decide);
    (set.fast, set.confident) = (Some(speed.fast), Some(speed.confident));
}

/// Holds `s` against the calibrated marks, if there are any.
pub fn hold(s: Estimate, decide: Decide, record: &mut Record) {
    if let Some(set) = &mut record.calibrated_marks {
        stand(set, s, decide);
    }
}
