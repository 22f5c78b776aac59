use super::*;

pub(in crate::verdict) fn setting(cpu: &str) -> Setting {
    Setting {
        cpu: cpu.into(),
        compiler: "gcc 14.2".into(),
        flags: vec!["-O2".into()],
        engine: "0.1.0".into(),
        date: "2026-01-02T03:04:05Z".into(),
    }
}

fn replays(centre: f64, spread: f64) -> Vec<Replayed> {
    let one = |sign: f64| Replayed { ln_s: centre + sign * spread, lead: sign * spread };
    (0..10).map(|i| one(if i % 2 == 0 { 1.0 } else { -1.0 })).collect()
}

#[test]
fn marks_from_replays() {
    let c = StepCalibration::from_replays(&replays(2.0, 0.01), setting("x")).unwrap();
    assert!((c.s_ref - 2f64.exp()).abs() < 1e-4);
    // t(10; 0.99) = 2.763769
    assert!((c.guard - 0.0276).abs() < 1e-4, "{}", c.guard);
    assert!((c.pass_at - f64::exp(2.0 - 0.0276377)).abs() < 1e-3, "{}", c.pass_at);
    assert!(c.s_ref_interval[0] < c.s_ref && c.s_ref < c.s_ref_interval[1]);
    assert_eq!((c.replays, c.s.len(), c.leads.len()), (10, 10, 10));
}

#[test]
fn leads_that_agree_too_well_leave_a_guard() {
    let close: Vec<Replayed> =
        replays(2.0, 0.01).iter().map(|r| Replayed { lead: r.lead / 100.0, ..*r }).collect();
    let c = StepCalibration::from_replays(&close, setting("x")).unwrap();
    assert_eq!(c.guard, 0.005);
    assert!((c.pass_at - f64::exp(1.995)).abs() < 1e-3, "{}", c.pass_at);
}

#[test]
fn replays_join_those_made_with_the_same() {
    let first = StepCalibration::from_replays(&replays(2.0, 0.01), setting("x")).unwrap();
    let mut all = first.joined_by(&setting("x"));
    // Hours later, when s is another: the guard does not see it.
    all.extend(replays(2.2, 0.01));
    let more = StepCalibration::from_replays(&all, setting("x")).unwrap();
    assert_eq!((more.replays, more.s.len()), (20, 20));
    assert!(more.spread > 5.0 * first.spread && more.guard < first.guard);
    assert!(first.joined_by(&setting("y")).is_empty());
}

#[test]
fn refuses_marks_that_luck_could_pass() {
    let few = StepCalibration::from_replays(&replays(1.0, 0.0)[..9], setting("x"));
    assert!(matches!(few, Err(CalibrationError::TooFew { have: 9 })));
    for (centre, spread) in [(0.0, 0.0), (0.0, 0.01), (0.02, 0.01), (-1.0, 0.0)] {
        let made = StepCalibration::from_replays(&replays(centre, spread), setting("x"));
        assert!(matches!(made, Err(CalibrationError::NotFaster { .. })), "{centre} {spread}");
    }
}

#[test]
fn s_may_lie_as_far_off_as_machines_drift_or_replays_scatter() {
    let leeway = |spread| {
        let made = StepCalibration::from_replays(&replays(2.0, spread), setting("x")).unwrap();
        (made.leeway(), made.spread)
    };
    assert_eq!(leeway(0.01).0, 0.15);
    let (leeway, spread) = leeway(0.1);
    assert!((spread - 0.1054).abs() < 1e-4 && (leeway - 3.0 * spread).abs() < 1e-12, "{leeway}");
}

#[test]
fn writing_one_step_keeps_the_others() {
    let dir = tempfile::tempdir().unwrap();
    let baselines = dir.path().join("baselines/simd");
    assert_eq!(Calibration::read(&baselines).unwrap(), Calibration::default());
    let a = StepCalibration::from_replays(&replays(2.0, 0.01), setting("a")).unwrap();
    let b = StepCalibration::from_replays(&replays(1.0, 0.01), setting("b")).unwrap();
    Calibration::write_step(&baselines, "02-blur", b.clone()).unwrap();
    Calibration::write_step(&baselines, "01-resizing", a.clone()).unwrap();
    let all = Calibration::read(&baselines).unwrap();
    assert_eq!(all.step.keys().collect::<Vec<_>>(), ["01-resizing", "02-blur"]);
    assert_eq!((&all.step[0], &all.step[1]), (&a, &b));
    assert_eq!(all.marks("02-blur").unwrap().pass_at, b.pass_at);
    assert_eq!(all.marks("03-edges"), None);
    let missing = all.require("simd", "03-edges").unwrap_err();
    assert!(missing.help().unwrap().to_string().contains("calibrate simd --step 03-edges"));
}

#[test]
fn a_damaged_file_is_an_error_and_stays() {
    let dir = tempfile::tempdir().unwrap();
    let step = StepCalibration::from_replays(&replays(2.0, 0.01), setting("a")).unwrap();
    for text in ["[step", "steps = 1", "[step.x]\ns_ref = 2.0\n"] {
        fs::write(Calibration::path(dir.path()), text).unwrap();
        let read = Calibration::read(dir.path());
        assert!(matches!(read, Err(CalibrationError::Damaged(_))), "{text}");
        assert!(Calibration::write_step(dir.path(), "x", step.clone()).is_err());
        assert_eq!(fs::read_to_string(Calibration::path(dir.path())).unwrap(), text);
    }
}

#[test]
fn impossible_marks_are_an_error() {
    let dir = tempfile::tempdir().unwrap();
    for mark in [f64::NAN, 0.5, f64::INFINITY] {
        let mut step = StepCalibration::from_replays(&replays(2.0, 0.0), setting("a")).unwrap();
        step.pass_at = mark;
        damaged(&dir, step);
    }
    for (guard, spread) in [(f64::NAN, 0.0), (-0.1, 0.0), (f64::INFINITY, 0.0), (0.1, f64::NAN)] {
        let step = StepCalibration::from_replays(&replays(2.0, 0.0), setting("a")).unwrap();
        damaged(&dir, StepCalibration { guard, spread, ..step });
    }
    let mut step = StepCalibration::from_replays(&replays(2.0, 0.0), setting("a")).unwrap();
    step.leads.pop();
    damaged(&dir, step);
}

/// A file with this step can't be read.
fn damaged(dir: &tempfile::TempDir, step: StepCalibration) {
    let all = Calibration { step: IndexMap::from([("01".to_owned(), step)]) };
    fs::write(Calibration::path(dir.path()), toml::to_string(&all).unwrap()).unwrap();
    let read = Calibration::read(dir.path());
    assert!(matches!(read, Err(CalibrationError::Damaged(_))), "{all:?}");
}

#[test]
fn names_what_differs() {
    let c = StepCalibration::from_replays(&replays(2.0, 0.01), setting("a")).unwrap();
    assert!(c.differences(&setting("a")).is_empty());
    let other = c.differences(&setting("b"));
    assert_eq!(other, ["calibrated with processor `a`, this is `b`"]);
}
