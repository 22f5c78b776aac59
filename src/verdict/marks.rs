//! The marks that a step is held against: those of its calibration, and, where these are too near or
//! another processor's, the reference solution itself. A duel is one contest more, with the solution
//! in place of the reference: blocks of both, input by input, so that whatever disturbs the hour
//! disturbs both alike.

use super::calibration::{MISSED, StepCalibration};
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
use crate::stats::{self, Estimate, Rival, StepEstimate};
use crate::timer::{Budget, CONFIDENCE};

/// How far (ln) s may drift from one hour to another before that is odd: a judgement. A reference
/// solution was seen to come out 10 % lower two hours after its calibration (METHODOLOGY.md, "The mark").
pub const DRIFT: f64 = 0.15;

/// When the candidate is timed against the reference solution, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Live {
    /// It is what is graded.
    Never,
    /// Where the calibration alone can't tell: [`StepCalibration::cant_tell`].
    Near,
    /// Always.
    Always,
}

impl StepCalibration {
    /// Whether it was made on another processor.
    fn is_elsewhere(&self, record: &Record) -> bool {
        self.setting.cpu != record.machine.cpu
    }

    /// How far (ln) s may come to lie from what was calibrated: by drift, or by chance.
    pub(super) fn leeway(&self) -> f64 {
        DRIFT.max(self.chance())
    }

    /// Why this alone can't tell on which side of the mark `s` is, if it can't.
    pub(super) fn cant_tell(&self, s: Estimate, record: &Record) -> Option<&'static str> {
        let marks = Marks { s_ref: self.s_ref, pass_at: self.pass_at };
        let off = (s.value.ln() - marks.deciding(record.decide).ln()).abs();
        if self.is_elsewhere(record) {
            // What noise alone reaches is not enough wherever the mark lies.
            (s.value.ln() > self.chance()).then_some(", and the mark is another processor's")
        } else {
            (off <= self.leeway()).then_some(" is as near the mark as machines drift")
        }
    }
}

impl Trial<'_> {
    /// The calibration's marks.
    pub(super) fn find_marks(&self, record: &mut Record) {
        let Some(calibrated) = self.calibrated(record) else { return };
        let [low, high] = calibrated.s_ref_interval;
        let s_ref = Estimate { value: calibrated.s_ref, low, high };
        record.calibrated_marks = Some(set(s_ref, calibrated.pass_at, calibrated.guard));
        adopt(MarkSource::Calibration, record);
    }

    /// The step and its calibration, if a duel has to decide whether `s` is enough.
    pub(super) fn needs_duel(
        &self,
        record: &Record,
        s: Estimate,
    ) -> Option<(usize, &StepCalibration)> {
        let (step, calibrated) = (self.step?, self.calibrated(record)?);
        let needed = match self.live {
            Live::Never => false,
            Live::Always => true,
            Live::Near => calibrated.cant_tell(s, record).is_some(),
        };
        needed.then_some((step, calibrated))
    }

    /// Times the candidate against the solution. From that, and from what was measured of it against the
    /// reference (`timed`), follows the solution's s, whose marks decide.
    pub(super) fn duel(
        &self,
        race: &mut Race<'_, '_>,
        (step, calibrated): (usize, &StepCalibration),
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
        race.time_own(&solution, &mut ours, budget.control()).map_err(|end| say(SOLUTION, end))?;
        let [ours] = ours;
        let mut race = race.against(&solution, ours.results.before.clone());
        let twin = self.twin(&race, Overlay::Solution { step }, budget)?;
        let budget = budget.duel().within(task.limits.timing_seconds as f64);
        let (mut duel, control) =
            race.prepare_duel(&twin, timed, budget).map_err(|end| say(SOLUTION, end))?;
        progress.stage("timing it against the reference solution", Some(budget.seconds as u64));
        let theirs = std::slice::from_mut(&mut duel);
        race.time(candidate, Party::Candidate, theirs, budget).map_err(|end| say(DUEL, end))?;
        timed.results.seconds += ours.results.seconds + duel.results.seconds;
        timed.results.inside += ours.results.inside + duel.results.inside;

        let (s, leads) = (timed.estimate(task)?, duel.estimate(task)?.functions);
        let found = s.rival(&leads, &ours.estimate(task)?.functions, CONFIDENCE)?;
        // On a machine that is noisier than the calibration's, the solution itself would fall behind its
        // guard more often than it should. Layouts are counted and not replicates, of which a candidate
        // that takes its time outside the clock leaves fewer.
        let count = leads.first().map_or(0, |f| f.replicates.len());
        let guard = calibrated.guard.max(stats::guard(&control, count, MISSED)?);
        let mut live = live_set(&s, found, guard, calibrated, record);
        live.functions = outline::leads(task, &duel, &leads);
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

const DUEL: &str = "timing the candidate against the reference solution";
pub(super) const SOLUTION: &str = "timing the reference solution";

/// In a duel "the reference" may be the solution: messages have to say who was timed.
pub(super) fn say(what: &str, end: End) -> End {
    match end {
        End::Error(EngineError::Reference(why)) => {
            End::Error(EngineError::Reference(format!("{what}: {why}")))
        }
        End::Verdict(mut end) => {
            end.1.message = format!("{what}: {}", end.1.message);
            End::Verdict(end)
        }
        end => end,
    }
}

/// The marks that follow from a duel, and how `s` stands to them.
fn live_set(
    s: &StepEstimate,
    found: Rival,
    guard: f64,
    calibrated: &StepCalibration,
    record: &mut Record,
) -> MarkSet {
    // What noise alone reaches is never enough, however slow the solution is here; nor, where the
    // calibration was made, is what neither drift nor chance explains.
    let mut least = calibrated.chance();
    if !calibrated.is_elsewhere(record) {
        least = least.max(calibrated.pass_at.ln() - calibrated.leeway());
    }
    let pass_at = found.ln_s - guard;
    let decides = match record.decide {
        Decide::PassAt => pass_at,
        Decide::SRef => found.ln_s,
    };
    // Then it says nothing of who is faster: a person should know.
    let bounded = decides < least;
    record.needs_human |= bounded;
    let around =
        |value: f64, reach: f64| Estimate { value, low: value - reach, high: value + reach };
    let reach = s.ln.half_width().hypot(found.lead.half_width());
    let s_ref = around(found.ln_s, reach).max(least).exp();
    let mut live = set(s_ref, pass_at.max(least).exp(), guard);
    live.lead = Some(found.lead.exp().into());
    // Against the solution only the lead is uncertain; against a bound, s is.
    let s = if bounded { s.ln } else { around(s.ln.value, found.lead.half_width()) };
    stand(&mut live, s.exp(), record.decide);
    live
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

fn set(s_ref: Estimate, pass_at: f64, guard: f64) -> MarkSet {
    let (s_ref, functions) = (s_ref.into(), Vec::new());
    MarkSet { s_ref, pass_at, guard, lead: None, functions, fast: None, confident: None }
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
