//! Reference solutions graded again and again: to fix their marks, or to see whether the marks
//! hold on this machine.

use std::fmt;

use indexmap::IndexMap;

use super::calibration::{Calibration, CalibrationError, MIN_REPLAYS, Setting, StepCalibration};
use super::catalogue;
use super::error::EngineError;
use super::request::CalibrateRequest;
use super::rerun::{Replay, Rerun};
use super::setup::Setup;
use crate::report::progress::Progress;
use crate::stats::{self, Estimate, Replays, StatsError};
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
        let have = joined.map_or(0, |joined| joined.concat().len()) + req.replays;
        if have < MIN_REPLAYS {
            return Err(CalibrationError::TooFew { have }.into());
        }
        let look = StepCalibration::look(look.ln_s, look.setting);
        marks.step.entry(task.steps[step].id.clone()).or_insert(look);
    }
    // What could be calibrated is kept, whatever becomes of the rest.
    let mut all = Vec::new();
    let mut failed = None;
    for (&step, replays) in steps.iter().zip(rerun.rounds(&steps, req.replays, &marks)?) {
        let id = task.steps[step].id.clone();
        let Some(first) = replays.first() else { continue };
        let joined = before.step.get(&id).map(|old| (old.joined_by(&first.setting), old));
        let (mut sessions, setting) = match joined {
            Some((sessions, old)) if !sessions.is_empty() => (sessions, &old.setting),
            _ => (Vec::new(), &first.setting),
        };
        sessions.push(ln_s(&replays));
        match StepCalibration::from_replays(&sessions, setting.clone()) {
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
            all.push(StepCheck::new(id, calibrated, &ln_s(&replays), &now.setting)?);
        }
    }
    Ok(all)
}

/// The steps that are asked for.
fn steps(task: &Task, req: &CalibrateRequest) -> Result<Vec<usize>, EngineError> {
    let step = req.step.as_deref().map(|s| task.step(s)).transpose()?;
    Ok(step.map_or((0..task.steps.len()).collect(), |s| vec![s]))
}

fn ln_s(replays: &[Replay]) -> Vec<f64> {
    replays.iter().map(|r| r.ln_s).collect()
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

/// How often the calibrated solution would pass its own marks, at the noise of its replays.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlook {
    /// Share of replays with `s > s_ref`, with its 95 % interval.
    pub s_ref: Estimate,
    /// Share of replays with `s > pass_at`, with its 95 % interval.
    pub pass_at: Estimate,
    /// By what share `pass_at` lies below `s_ref`.
    pub guard_band: f64,
    /// By what share it does where both are timed in turn.
    pub beside: f64,
}

impl Outlook {
    /// Of a step. Needs two replays.
    pub fn new(step: &StepCalibration) -> Result<Self, StatsError> {
        let replays = step.in_brief()?;
        Ok(Outlook {
            s_ref: replays.chance_above(step.s_ref.ln(), CONFIDENCE)?,
            pass_at: replays.chance_above(step.pass_at.ln(), CONFIDENCE)?,
            guard_band: 1.0 - step.pass_at / step.s_ref,
            beside: -f64::exp_m1(-step.guard),
        })
    }
}

impl fmt::Display for Outlook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "this solution passes s > s_ref {} of the time, s > pass_at {}; pass_at, the mark to \
             use, has a guard band of {:.1} % below s_ref, and of {:.1} % below this solution where it \
             is timed in turn",
            percent(self.s_ref),
            percent(self.pass_at),
            self.guard_band * 100.0,
            self.beside * 100.0
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
    /// Replays that passed `pass_at`.
    pub passed: usize,
    /// Share of all replays here that would, with its 95 % interval. `None` from a single replay.
    pub chance: Option<Estimate>,
    /// In what the setting here differs from the calibration's, in words.
    pub differences: Vec<String>,
}

impl StepCheck {
    /// Compares; needs a calibration from two replays or more, and one replay here.
    pub fn new(
        id: &str,
        calibrated: &StepCalibration,
        ln_s: &[f64],
        now: &Setting,
    ) -> Result<Self, StatsError> {
        let mark = calibrated.pass_at.ln();
        let here = (ln_s.len() > 1).then(|| Replays::of(ln_s)).transpose()?;
        Ok(StepCheck {
            id: id.to_owned(),
            calibrated: calibrated.clone(),
            s: crate::stats::mean(ln_s)?.exp(),
            replays: ln_s.len(),
            expected: calibrated.in_brief()?.next(ln_s.len(), CONFIDENCE)?.exp(),
            passed: ln_s.iter().filter(|s| **s > mark).count(),
            chance: here.map(|here| here.chance_above(mark, CONFIDENCE)).transpose()?,
            differences: calibrated.differences(now),
        })
    }

    /// Whether what was measured here is what the calibration lets expect.
    pub fn agrees(&self) -> bool {
        (self.expected.low..=self.expected.high).contains(&self.s)
    }
}

impl fmt::Display for StepCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Estimate { low, high, .. } = self.expected;
        let agrees = if self.agrees() { "agrees" } else { "DOES NOT AGREE" };
        let (id, s, s_ref) = (&self.id, self.s, self.calibrated.s_ref);
        writeln!(f, "{id}: s = {s:.3} here, s_ref = {s_ref:.3} calibrated: {agrees}")?;
        let many = if self.replays == 1 { "one replay" } else { "the mean of the replays" };
        writeln!(f, "  chance alone puts {many} between {low:.3} and {high:.3}")?;
        let pass_at = self.calibrated.pass_at;
        write!(f, "  s > pass_at = {pass_at:.3}: {} of {} replays", self.passed, self.replays)?;
        if let Some(chance) = self.chance {
            write!(f, "; at their noise {} of the time", percent(chance))?;
        }
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
    use super::*;

    fn setting(cpu: &str) -> Setting {
        Setting {
            cpu: cpu.into(),
            compiler: "gcc 14.2".into(),
            flags: vec!["-O2".into()],
            engine: "0.1.0".into(),
            date: "2026-01-02T03:04:05Z".into(),
        }
    }

    fn calibrated() -> StepCalibration {
        let ln_s: Vec<f64> = (0..10).map(|i| 2.0 + 0.01 * f64::from(i % 5)).collect();
        StepCalibration::from_replays(&[ln_s], setting("there")).unwrap()
    }

    #[test]
    fn times_are_medians_over_the_replays() {
        let replay = |ns: f64| Replay {
            ln_s: 1.0,
            setting: setting("x"),
            reference_ns: vec![("f/long".into(), ns), ("f/short".into(), 2.0 * ns)],
        };
        let times = reference_ns(&[replay(12.04), replay(10.0), replay(99.0)]);
        assert_eq!((times["f/long"], times["f/short"]), (12.0, 24.1));
    }

    #[test]
    fn as_fast_passes_s_ref_half_of_the_time_and_pass_at_nearly_always() {
        let outlook = Outlook::new(&calibrated()).unwrap();
        // From the rounded figures of the file.
        assert!((outlook.s_ref.value - 0.5).abs() < 0.01, "{outlook:?}");
        assert!((outlook.pass_at.value - 0.99).abs() < 0.001, "{outlook:?}");
        assert!(outlook.pass_at.low < 0.97 && outlook.pass_at.high > 0.999, "{outlook:?}");
        let band = 1.0 - calibrated().pass_at / calibrated().s_ref;
        assert!(band > 0.02 && outlook.guard_band == band);
        let text = outlook.to_string();
        assert!(text.contains("s > s_ref 50.") && text.contains(&format!("{:.1} %", band * 100.0)));
    }

    #[test]
    fn the_same_speed_agrees_and_another_does_not() {
        let calibrated = calibrated();
        let check =
            |ln_s: &[f64], cpu| StepCheck::new("01", &calibrated, ln_s, &setting(cpu)).unwrap();
        let same = check(&[2.01, 2.03, 2.02], "there");
        assert!(same.agrees() && same.differences.is_empty(), "{same:?}");
        assert_eq!((same.passed, same.replays), (3, 3));
        assert!(same.chance.unwrap().value > 0.9);
        assert!(same.to_string().contains("agrees") && same.to_string().contains("3 of 3"));

        for (shift, passed) in [(-0.1, 0), (0.1, 3)] {
            let other = check(&[2.01 + shift, 2.03 + shift, 2.02 + shift], "here");
            assert!(!other.agrees(), "{other:?}");
            assert_eq!(other.passed, passed);
            assert_eq!(other.chance.unwrap().value > 0.5, passed > 0);
            let text = other.to_string();
            assert!(text.contains("DOES NOT AGREE") && text.contains("`there`"), "{text}");
        }
        // More replays narrow what chance allows.
        let off = |n: usize| check(&vec![2.05; n], "there");
        assert!(off(1).agrees() && !off(20).agrees());
        assert_eq!(off(1).chance, None);
    }

    #[test]
    fn a_calibration_that_rests_on_nothing_is_an_error() {
        let look = StepCalibration::look(2.0, setting("there"));
        assert!(Outlook::new(&look).is_err());
        assert!(StepCheck::new("01", &look, &[2.0], &setting("there")).is_err());
    }
}
