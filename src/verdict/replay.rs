//! Reference solutions graded again and again: to fix their marks, or to see whether the marks
//! hold on this machine.

use std::fmt;

use indexmap::IndexMap;

use super::calibration::{
    Calibration, CalibrationError, MIN_REPLAYS, Replayed, Setting, StepCalibration,
};
use super::catalogue;
use super::error::EngineError;
use super::marks::DRIFT;
use super::request::CalibrateRequest;
use super::rerun::{Replay, Rerun};
use super::setup::Setup;
use crate::report::progress::Progress;
use crate::stats::{self, Estimate, Leads, StatsError};
use crate::task::Task;
use crate::timer::CONFIDENCE;

/// Grades the reference solution again and again, writes the marks that follow, and returns those
/// of each step that was calibrated.
pub fn calibrate(
    req: &CalibrateRequest,
    progress: &dyn Progress,
) -> Result<Vec<(String, StepCalibration)>, EngineError> {
    let task = catalogue::open(&req.task)?;
    let steps = steps(&task, req)?;
    let before = match req.more {
        true => Calibration::read(&task.baselines())?,
        false => Calibration::default(),
    };
    if !req.more && req.replays < MIN_REPLAYS {
        return Err(CalibrationError::TooFew { have: req.replays }.into());
    }
    let mut rerun = Rerun { setup: Setup::new(&task)?, progress };
    // How a function is timed depends on the mark. The first look gives one where there is none, so
    // that the replays are timed as gradings will be.
    let mut marks = before.clone();
    for &step in &steps {
        let look = rerun.look(step)?;
        // Known before the long part begins: what would be too few then is too few now.
        let joined = before.step.get(&task.steps[step].id).map(|old| old.joined_by(&look.setting));
        let have = joined.map_or(0, |joined| joined.len()) + req.replays;
        if have < MIN_REPLAYS {
            return Err(CalibrationError::TooFew { have }.into());
        }
        let look = StepCalibration::look(look.found.ln_s, look.setting);
        marks.step.entry(task.steps[step].id.clone()).or_insert(look);
    }
    // What could be calibrated is kept, whatever becomes of the rest.
    let mut all = Vec::new();
    let mut failed = None;
    for (&step, replays) in steps.iter().zip(rerun.rounds(&steps, req.replays, &marks)?) {
        let id = task.steps[step].id.clone();
        let Some(first) = replays.first() else { continue };
        let joined = before.step.get(&id).map(|old| (old.joined_by(&first.setting), old));
        let (mut found, setting) = match joined {
            Some((found, old)) if !found.is_empty() => (found, &old.setting),
            _ => (Vec::new(), &first.setting),
        };
        found.extend(replays.iter().map(|replay| replay.found));
        match StepCalibration::from_replays(&found, setting.clone()) {
            Ok(mut made) => {
                made.reference_ns = reference_ns(&replays);
                Calibration::write_step(&task.baselines(), &id, made.clone())?;
                all.push((id, made));
            }
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    failed.map_or(Ok(all), |error| Err(error.into()))
}

/// Grades the reference solution as often as asked and holds it against the marks there are.
/// Writes nothing.
pub fn check_calibration(
    req: &CalibrateRequest,
    progress: &dyn Progress,
) -> Result<Vec<StepCheck>, EngineError> {
    let task = catalogue::open(&req.task)?;
    let steps = steps(&task, req)?;
    let calibration = Calibration::read(&task.baselines())?;
    for &step in &steps {
        calibration.require(&task.name, &task.steps[step].id)?;
    }
    let mut rerun = Rerun { setup: Setup::new(&task)?, progress };
    for &step in &steps {
        rerun.look(step)?;
    }
    let mut all = Vec::new();
    for (&step, replays) in steps.iter().zip(rerun.rounds(&steps, req.replays, &calibration)?) {
        let id = &task.steps[step].id;
        if let (Some(calibrated), Some(now)) = (calibration.step.get(id), replays.first()) {
            let found: Vec<Replayed> = replays.iter().map(|replay| replay.found).collect();
            all.push(StepCheck::new(id, calibrated, &found, &now.setting)?);
        }
    }
    Ok(all)
}

/// The steps that are asked for.
fn steps(task: &Task, req: &CalibrateRequest) -> Result<Vec<usize>, EngineError> {
    let step = req.step.as_deref().map(|s| task.step(s)).transpose()?;
    Ok(step.map_or((0..task.steps.len()).collect(), |s| vec![s]))
}

/// The median of each time over the replays, to a tenth of a nanosecond.
fn reference_ns(replays: &[Replay]) -> IndexMap<String, f64> {
    let mut all: IndexMap<String, Vec<f64>> = IndexMap::new();
    for (name, ns) in replays.iter().flat_map(|r| &r.reference_ns) {
        all.entry(name.clone()).or_default().push(*ns);
    }
    let median = |ns: &[f64]| stats::median(ns).map(|m| (m * 10.0).round() / 10.0);
    all.into_iter().filter_map(|(name, ns)| Some((name, median(&ns).ok()?))).collect()
}

/// What a copy of the solution would be slower by that ought not to pass.
const SLOWER: f64 = 0.03;

/// How often the calibrated solution would pass its own mark, and a slower copy of it, at the noise
/// of its replays.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlook {
    /// Share of gradings in which it passes, with its 95 % interval.
    pub passes: Estimate,
    /// The same of a copy whose s is 3 % lower.
    pub slower: Estimate,
    /// By what share `pass_at` lies below `s_ref`.
    pub guard_band: f64,
}

impl Outlook {
    /// Of a step. Needs a replay.
    pub fn new(step: &StepCalibration) -> Result<Self, StatsError> {
        let leads: Vec<f64> = step.leads.iter().map(|lead| lead.ln()).collect();
        let leads = Leads::of(&leads)?;
        let slower = -f64::ln_1p(-SLOWER) - step.guard;
        Ok(Outlook {
            passes: leads.chance_above(-step.guard, CONFIDENCE)?,
            slower: leads.chance_above(slower, CONFIDENCE)?,
            guard_band: -f64::exp_m1(-step.guard),
        })
    }
}

impl fmt::Display for Outlook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "this solution passes s > s_ref half of the time, s > pass_at, {:.1} % below it, {}; one {:.0} % \
             slower {}",
            self.guard_band * 100.0,
            percent(self.passes),
            SLOWER * 100.0,
            percent(self.slower),
        )
    }
}

/// A step's calibration against replays on this machine.
#[derive(Debug, Clone, PartialEq)]
pub struct StepCheck {
    /// Identifier of the step.
    pub id: String,
    /// Its calibration.
    pub calibrated: StepCalibration,
    /// Geometric mean of `s` over the replays here.
    pub s: f64,
    /// Replays here.
    pub replays: usize,
    /// Where that mean falls 95 times in 100 if nothing but chance differs.
    pub expected: Estimate,
    /// Replays that did not fall behind by the guard.
    pub passed: usize,
    /// Share of all replays here that would not, with its 95 % interval.
    pub chance: Estimate,
    /// In what the setting here differs from the calibration's, in words.
    pub differences: Vec<String>,
}

impl StepCheck {
    /// Compares; needs a calibration from two replays or more, and one replay here.
    pub fn new(
        id: &str,
        calibrated: &StepCalibration,
        found: &[Replayed],
        now: &Setting,
    ) -> Result<Self, StatsError> {
        let ln_s: Vec<f64> = found.iter().map(|replay| replay.ln_s).collect();
        let leads: Vec<f64> = found.iter().map(|replay| replay.lead).collect();
        let behind = -calibrated.guard;
        Ok(StepCheck {
            id: id.to_owned(),
            calibrated: calibrated.clone(),
            s: stats::mean(&ln_s)?.exp(),
            replays: found.len(),
            expected: calibrated.in_brief()?.next(found.len(), CONFIDENCE)?.exp(),
            passed: leads.iter().filter(|lead| **lead > behind).count(),
            chance: Leads::of(&leads)?.chance_above(behind, CONFIDENCE)?,
            differences: calibrated.differences(now),
        })
    }

    /// Whether what was measured here is what the calibration lets expect, or no farther from it than
    /// machines drift.
    pub fn agrees(&self) -> bool {
        (self.expected.low..=self.expected.high).contains(&self.s)
            || (self.s / self.calibrated.s_ref).ln().abs() <= DRIFT
    }
}

impl fmt::Display for StepCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Estimate { low, high, .. } = self.expected;
        let agrees = if self.agrees() { "agrees" } else { "DOES NOT AGREE" };
        let (id, s, s_ref) = (&self.id, self.s, self.calibrated.s_ref);
        writeln!(f, "{id}: s = {s:.3} here, s_ref = {s_ref:.3} calibrated: {agrees}")?;
        let many = if self.replays == 1 { "one replay" } else { "the mean of the replays" };
        let [less, more] = [-DRIFT, DRIFT].map(|ln| 100.0 * f64::exp_m1(ln));
        writeln!(
            f,
            "  chance alone puts {many} between {low:.3} and {high:.3}; {less:+.0} to {more:+.0} % are taken for \
             drift"
        )?;
        let band = -100.0 * f64::exp_m1(-self.calibrated.guard);
        write!(
            f,
            "  against itself, less than {band:.1} % behind: {} of {} replays; at their noise {} of the time",
            self.passed,
            self.replays,
            percent(self.chance)
        )?;
        self.differences.iter().try_for_each(|d| write!(f, "\n  {d}"))
    }
}

/// `99.0 % (92.1 - 99.9 %)`
fn percent(share: Estimate) -> String {
    let [value, low, high] = [share.value, share.low, share.high].map(|p| p * 100.0);
    format!("{value:.1} % ({low:.1} - {high:.1} %)")
}

#[cfg(test)]
mod tests {
    use super::super::calibration::tests::setting;
    use super::*;

    /// Replays around this ln s, whose leads scatter by 1 %.
    fn replays(ln_s: f64, count: usize) -> Vec<Replayed> {
        let sign = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        let one = |i| Replayed { ln_s: ln_s + 0.01 * (i % 5) as f64, lead: 0.01 * sign(i) };
        (0..count).map(one).collect()
    }

    fn calibrated() -> StepCalibration {
        StepCalibration::from_replays(&replays(2.0, 10), setting("there")).unwrap()
    }

    #[test]
    fn times_are_medians_over_the_replays() {
        let replay = |ns: f64| Replay {
            found: Replayed { ln_s: 1.0, lead: 0.0 },
            setting: setting("x"),
            reference_ns: vec![("f/long".into(), ns), ("f/short".into(), 2.0 * ns)],
        };
        let times = reference_ns(&[replay(12.04), replay(10.0), replay(99.0)]);
        assert_eq!((times["f/long"], times["f/short"]), (12.0, 24.1));
    }

    #[test]
    fn as_fast_passes_nearly_always_and_a_slower_one_less_often() {
        let outlook = Outlook::new(&calibrated()).unwrap();
        // From the rounded figures of the file.
        assert!((outlook.passes.value - 0.99).abs() < 0.001, "{outlook:?}");
        assert!(outlook.passes.low < 0.97 && outlook.passes.high > 0.999, "{outlook:?}");
        // 3.05 % below a mark that lies 2.76 % below: behind it by three tenths of a deviation.
        assert!((outlook.slower.value - 0.39).abs() < 0.01, "{outlook:?}");
        let text = outlook.to_string();
        assert!(
            text.contains("2.7 % below it, 99.") && text.contains("one 3 % slower 39."),
            "{text}"
        );
    }

    #[test]
    fn the_same_speed_agrees_and_another_does_not() {
        let calibrated = calibrated();
        let check = |found: &[Replayed], cpu| {
            StepCheck::new("01", &calibrated, found, &setting(cpu)).unwrap()
        };
        let same = check(&replays(2.01, 3), "there");
        assert!(same.agrees() && same.differences.is_empty(), "{same:?}");
        assert_eq!((same.passed, same.replays), (3, 3));
        assert!(same.chance.value > 0.9);
        assert!(same.to_string().contains("agrees") && same.to_string().contains("3 of 3"));

        for shift in [-0.3, 0.3] {
            let mut found = replays(2.01 + shift, 3);
            found[1].lead = -0.2;
            let other = check(&found, "here");
            assert!(!other.agrees() && other.passed == 2, "{other:?}");
            assert!(other.chance.value < same.chance.value);
            let text = other.to_string();
            assert!(text.contains("DOES NOT AGREE") && text.contains("`there`"), "{text}");
        }
        // As far as machines drift, but no farther.
        let off = |by: f64| check(&[Replayed { ln_s: 2.02 + by, lead: 0.01 }; 3], "there");
        assert!(off(0.14).agrees() && !off(0.17).agrees());
    }

    #[test]
    fn a_calibration_that_rests_on_nothing_is_an_error() {
        let look = StepCalibration::look(2.0, setting("there"));
        assert!(Outlook::new(&look).is_err());
        assert!(StepCheck::new("01", &look, &replays(2.0, 1), &setting("there")).is_err());
    }
}
