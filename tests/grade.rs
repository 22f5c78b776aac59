//! Gradings through the built binary: planted submissions, each with the outcome it must have.

mod support;

use std::fs;

use predicates::prelude::*;
use predicates::str::contains;
use speedgate::report::record::{MarkSource, Outcome, Record};
use speedgate::verdict::calibration::Calibration;
use support::{Base, Bench, FIRST, SECOND, alone, together};

/// Grades a bench's workspace: exit code 0 whatever the verdict.
fn graded(bench: &Bench, step: &str) -> Record {
    bench.grade(step).assert().code(0);
    bench.verdict()
}

/// Grades a planted submission that must get reward 0.
fn refused(name: &str, base: Base, step: &str, outcome: Outcome) -> Record {
    let bench = Bench::submitted(&name.replace('_', "-"), base);
    let record = graded(&bench, step);
    assert_eq!(record.outcome, outcome, "{}", record.message);
    assert_eq!(record.reward, Some(0));
    if outcome == Outcome::TooSlow {
        assert_eq!((record.correct, record.fast), (Some(true), Some(false)));
        assert!(record.functions.iter().all(|f| f.outcome == Some(Outcome::Pass)));
    } else {
        assert_eq!(record.correct, Some(false));
        assert_eq!(record.failure.as_ref().map(|f| &f.message), Some(&record.message));
    }
    record
}

/// One test for each submission that fails before anything is timed: it lies in the folder of the
/// same name, on top of the solution of the step.
macro_rules! refused {
    ($($name:ident: $step:ident => $outcome:ident $(in $function:literal)?;)*) => {$(
        #[test]
        fn $name() {
            let _turn = together();
            let base = Base::Solution($step);
            let record = refused(stringify!($name), base, $step, Outcome::$outcome);
            let function = record.failure.and_then(|f| f.function);
            let expected: &[&str] = &[$($function)?];
            assert_eq!(function.as_deref(), expected.first().copied());
        }
    )*};
}

refused! {
    returns_at_once: FIRST => WrongOutput in "rank";
    writes_half: FIRST => WrongOutput in "rank";
    stale_output: FIRST => WrongOutput in "rank";
    flipped_bit_rank: FIRST => WrongOutput in "rank";
    flipped_bit_window: FIRST => WrongOutput in "window";
    flipped_bit_unhex: SECOND => WrongOutput in "unhex";
    wrong_return: SECOND => WrongOutput in "unhex";
    wrong_position: SECOND => WrongOutput in "unhex";
    earlier_step_broken: SECOND => WrongOutput in "window";

    reads_past_the_end: FIRST => MemoryViolation in "rank";
    writes_into_padding: FIRST => MemoryViolation in "window";
    changes_its_input: FIRST => MemoryViolation in "rank";

    crashes: FIRST => Crashed in "rank";
    aborts: FIRST => Crashed in "rank";
    has_itself_traced: FIRST => ForbiddenSyscall;
    loops_forever: FIRST => Hung in "rank";
    exits: FIRST => Exited in "rank";
    allocates_without_end: FIRST => OutOfMemory in "rank";

    syntax_error: FIRST => BuildFailed;
    undefined_symbol: FIRST => BuildFailed;
    missing_export: FIRST => BuildFailed;

    exits_at_start: FIRST => Exited;
    prints_without_end: FIRST => Hung;
    forks_and_leaves: FIRST => Exited;

}

/// Who answers in the driver's place is found out at the first call, whichever function's that is:
/// they are called in random order.
#[test]
fn nobody_answers_in_the_drivers_place() {
    let _turn = together();
    for name in ["takes-over-the-worker", "imitates-the-driver"] {
        let record = refused(name, Base::Solution(FIRST), FIRST, Outcome::WrongOutput);
        let function = record.failure.and_then(|f| f.function).unwrap();
        assert!(["rank", "window"].contains(&&*function), "{name}: {function}");
    }
}

/// The build log of a submission that does not build says what is missing.
#[test]
fn a_failed_build_shows_its_log() {
    let _turn = together();
    for (name, says) in [
        ("syntax-error", "rank.c:5"),
        ("undefined-symbol", "somewhere_else"),
        ("missing-export", "toy_rank"),
    ] {
        let record = refused(name, Base::Solution(FIRST), FIRST, Outcome::BuildFailed);
        let log = record.failure.and_then(|f| f.log).unwrap();
        assert!(log.contains(says), "{name}: {log}");
    }
}

/// Whoever answers from memory meets no input twice.
#[test]
fn content_cache() {
    let _turn = alone();
    refused("content-cache", Base::Pristine, FIRST, Outcome::TooSlow);
}

/// Every timed call is checked, too.
#[test]
fn wrong_when_timed() {
    let _turn = alone();
    let record = refused("wrong-when-timed", Base::Pristine, FIRST, Outcome::WrongOutput);
    assert!(record.message.contains("in a timed call"), "{}", record.message);
    assert_eq!(record.failure.and_then(|f| f.function).as_deref(), Some("rank"));
}

#[test]
fn fifty_times_slower() {
    let _turn = alone();
    let record = refused("fifty-times-slower", Base::Pristine, FIRST, Outcome::TooSlow);
    // Slower than before counts as 1, and is shown as what it is.
    assert!(record.functions[0].speedup.unwrap().value < 0.1);
}

#[test]
fn the_tree_to_start_from_is_too_slow() {
    let _turn = alone();
    let bench = Bench::with(Base::Pristine);
    bench.grade(FIRST).arg("--require-pass").assert().code(1);
    let record = bench.verdict();
    assert_eq!(record.outcome, Outcome::TooSlow, "{}", record.message);
    assert_eq!((record.correct, record.fast, record.reward), (Some(true), Some(false), Some(0)));
    assert_eq!((record.s_ref, record.pass_at), (Some(2.0), Some(2.0)));
}

#[test]
fn the_reference_solution_passes() {
    let _turn = alone();
    let bench = Bench::new();
    let args = ["grade", "toy", "--step", "02", "--solution", "--out", "out"];
    let done = bench.speedgate().args(args).args(["--json", "--require-pass"]).assert().code(0);
    let record = bench.verdict();
    assert_eq!((record.outcome, record.reward), (Outcome::Pass, Some(1)), "{}", record.message);
    // The same record on stdout, and nothing else.
    assert_eq!(support::record(&done.get_output().stdout), record);
    let checked: Vec<&str> = record.functions.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(checked, ["rank", "window", "unhex"], "earlier steps' functions are in the plan");
    assert!(record.functions.iter().all(|f| f.checked_calls > 300));
    let timed: Vec<bool> = record.functions.iter().map(|f| f.speedup.is_some()).collect();
    assert_eq!(timed, [false, false, true]);
}

/// A grading draws its seed from the operating system and prints it: the same inputs can be had
/// again, and nobody could know them.
#[test]
fn the_reference_solution_as_a_workspace_passes_and_prints_its_seed() {
    let _turn = alone();
    let bench = Bench::with(Base::Solution(FIRST));
    let done = bench.grade(FIRST).assert().code(0);
    let record = bench.verdict();
    assert_eq!(record.reward, Some(1), "{}", record.message);
    let text = String::from_utf8(done.get_output().stdout.clone()).unwrap();
    assert!(text.contains(&format!("seed {}", record.seed)), "{text}");
    assert_eq!(record.seed.len(), 32);

    let bench = Bench::submitted("returns-at-once", Base::Solution(FIRST));
    let (a, b) = (graded(&bench, FIRST), graded(&bench, FIRST));
    assert!(a.seed != b.seed && a.seed != record.seed);
}

/// Large frames, libc, names that libc has too, early returns, new files; and what has no effect
/// is listed.
#[test]
fn odd_but_honest() {
    let _turn = alone();
    let bench = Bench::submitted("odd-but-honest", Base::Solution(FIRST));
    fs::write(bench.workspace().join("README"), "changed").unwrap();
    fs::write(bench.workspace().join("notes.txt"), "my notes").unwrap();
    bench.link("/etc/passwd", "extra.c");
    let record = graded(&bench, FIRST);
    assert_eq!(record.reward, Some(1), "{}", record.message);
    for said in ["README (changed, not editable)", "notes.txt (not editable)", "extra.c ("] {
        assert!(record.ignored_edits.iter().any(|line| line.starts_with(said)), "{said}");
    }
    assert_eq!(record.ignored_edits.len(), 3, "{:?}", record.ignored_edits);
}

/// A link is not followed: the file is not there.
#[test]
fn a_link_in_the_place_of_an_editable_file_is_no_file() {
    let _turn = together();
    let bench = Bench::with(Base::Solution(FIRST));
    let elsewhere = bench.path().join("elsewhere.c");
    fs::copy(bench.workspace().join("rank.c"), &elsewhere).unwrap();
    bench.link("../elsewhere.c", "rank.c");
    let record = graded(&bench, FIRST);
    assert_eq!(record.outcome, Outcome::BuildFailed, "{}", record.message);
    assert!(record.failure.and_then(|f| f.log).unwrap().contains("toy_rank"));
}

/// Honest code may ask what it likes, and finds nothing; and who is right only because it finds
/// nothing, from its constructor as well as from its calls, is right.
#[test]
fn questions_are_refused_and_no_crime() {
    let _turn = together();
    for name in ["looks-round", "finds-nothing"] {
        let bench = Bench::submitted(name, Base::Solution(FIRST));
        let args = ["check", "toy", "--step", "01", "--workspace", "my", "--json"];
        let done = bench.speedgate().args(args).assert().code(0);
        let record = support::record(&done.get_output().stdout);
        assert_eq!(record.correct, Some(true), "{name}: {}", record.message);
    }
}

/// What a submission starts ends with its worker.
#[test]
fn no_child_is_left_behind() {
    let _turn = alone();
    let bench = Bench::submitted("leaves-a-child-behind", Base::Solution(FIRST));
    graded(&bench, FIRST);
    // It was killed; whether its last parent has noticed by now is another matter.
    let alive = || {
        let all = fs::read_dir("/proc").unwrap().flatten();
        let mut stats = all.filter_map(|p| fs::read_to_string(p.path().join("stat")).ok());
        stats.any(|stat| stat.contains("(left-behind)") && !stat.contains("(left-behind) Z"))
    };
    for _ in 0..200 {
        if !alive() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("it is still there");
}

/// Replays make marks; others may join them, but not those made with another compiler. A solution that
/// is wrong makes none.
#[test]
fn replays_make_a_mark_and_others_join_them() {
    let _turn = alone();
    let bench = Bench::with(Base::Pristine);
    let calibrate = |more: &[&str]| {
        bench.speedgate().args(["calibrate", "toy", "--step", "01"]).args(more).assert()
    };
    let file = || fs::read_to_string(bench.calibration()).unwrap();
    let step = || Calibration::read(bench.calibration().parent().unwrap()).unwrap().step[0].clone();

    let before = file();
    calibrate(&["--more", "--replays", "2"]).code(2).stderr(contains("2 replays are too few"));
    assert_eq!(file(), before);

    calibrate(&[]).code(0).stdout(contains("from 10 replays"));
    let first = step();
    assert_eq!((first.replays, first.s.len(), first.leads.len()), (10, 10, 10));
    assert!(first.pass_at <= first.s_ref && first.s.iter().all(|s| *s > 2.0), "{first:?}");
    assert_eq!(first.reference_ns.len(), 2);

    calibrate(&["--more", "--replays", "1"]).code(0).stdout(contains("from 11 replays"));
    let more = step();
    assert_eq!((more.replays, &more.s[..10]), (11, &first.s[..]));
    assert_eq!(more.setting, first.setting);

    let before = file();
    let solution = bench.root().join("baselines/toy").join(FIRST).join("rank.c");
    let right = fs::read_to_string(&solution).unwrap();
    let wrong = right.replacen("{", "{ if (n == 33) return;", 1);
    assert_ne!(wrong, right);
    fs::write(&solution, wrong).unwrap();
    calibrate(&["--more"])
        .failure()
        .stderr(contains("the reference solution").and(contains("right")));
    assert_eq!(file(), before);
}

/// The candidate against the reference solution: both marks are in the record, and the solution's own
/// decides.
#[test]
fn live_ref_reports_s_against_both_marks() {
    let _turn = alone();
    let bench = Bench::with(Base::Pristine);
    bench
        .grade(FIRST)
        .arg("--live-ref")
        .assert()
        .code(0)
        .stdout(contains("calibrated: reference solution 2.00x").and(contains("in this run: ")));
    let record = bench.verdict();
    assert_eq!((record.marks, record.outcome), (Some(MarkSource::Live), Outcome::TooSlow));
    let (calibrated, live) = (record.calibrated_marks.unwrap(), record.live_marks.unwrap());
    assert_eq!((calibrated.s_ref.value, calibrated.fast), (2.0, Some(false)));
    // The solution is far faster than the calibration says; the tree to start from is not.
    assert!(live.s_ref.value > 2.0 && live.s_ref.low <= live.s_ref.value, "{live:?}");
    // The calibration has no guard: that of this hour's noise is left.
    assert_eq!((calibrated.guard, live.fast), (0.0, Some(false)));
    let band = (live.pass_at / live.s_ref.value).ln();
    assert!(live.guard > 0.0 && (band + live.guard).abs() < 1e-9, "{live:?}");
    assert!(live.lead.unwrap().high < 0.5, "{live:?}");
}

/// Too near the calibrated mark for a machine that drifts: it is timed against the solution, which
/// decides. Here both are the same, and the calibration alone would turn it away.
#[test]
fn near_its_mark_a_candidate_meets_the_reference_solution() {
    let _turn = alone();
    let bench = Bench::with(Base::Solution(FIRST));
    let far = graded(&bench, FIRST);
    assert_eq!((far.marks, far.live_marks), (Some(MarkSource::Calibration), None));
    let mark = 1.02 * far.speedup.unwrap().value;
    bench.recalibrate("s_ref = 2.0", &format!("s_ref = {mark}"));
    bench.recalibrate("pass_at = 2.0", &format!("pass_at = {mark}"));
    bench.recalibrate("guard = 0.0", "guard = 0.1");
    // However busy the machine is, the next s is within three of these.
    bench.recalibrate("spread = 0.0", "spread = 0.2");
    let near = graded(&bench, FIRST);
    assert_eq!((near.marks, near.reward), (Some(MarkSource::Live), Some(1)), "{}", near.message);
    let (calibrated, live) = (near.calibrated_marks.unwrap(), near.live_marks.unwrap());
    assert_eq!(calibrated.pass_at, mark);
    let band = live.pass_at / live.s_ref.value;
    // Or, if the machine is slower now than chance explains, as far below the calibrated mark as that
    // reaches: then a person has to look.
    let least = f64::exp(-0.6) * mark;
    let expected = live.s_ref.value.max(least) * f64::exp(-live.guard);
    assert!(live.guard >= 0.1, "{live:?}");
    assert!((live.pass_at - expected.max(least)).abs() < 1e-6 * mark, "{band}");
    assert_eq!(near.needs_human, expected < least);
    let lead = live.lead.unwrap();
    assert!(lead.low <= lead.value && lead.value <= lead.high && lead.low > 0.5, "{lead:?}");

    // Without such a spread it is as far as machines drift.
    bench.recalibrate("guard = 0.1", "guard = 3.0");
    bench.recalibrate("spread = 0.2", "spread = 0.0");
    bench.grade(FIRST).arg("--live-ref").assert().code(0);
    let (held, least) = (bench.verdict(), f64::exp(-0.15) * mark);
    assert!((held.pass_at.unwrap() - least).abs() < 1e-6 * mark && held.needs_human, "{held:?}");
}

/// On another processor than the calibration's the reference solution's own speed decides; of what is
/// no faster than the reference it has nothing to say.
#[test]
fn another_processors_calibration_gives_way_to_a_live_one() {
    let _turn = alone();
    let bench = Bench::with(Base::Solution(FIRST));
    let cpu = speedgate::timer::machine::machine().cpu;
    bench.recalibrate(&format!("cpu = {cpu:?}"), "cpu = \"another\"");
    bench.recalibrate("guard = 0.0", "guard = 0.3");
    let record = graded(&bench, FIRST);
    assert_eq!((record.marks, record.outcome), (Some(MarkSource::Live), Outcome::Pass));
    let (calibrated, live) = (record.calibrated_marks.unwrap(), record.live_marks.unwrap());
    assert_eq!((record.s_ref, record.pass_at), (Some(live.s_ref.value), Some(live.pass_at)));
    assert_eq!(calibrated.s_ref.value, 2.0);

    let bench = Bench::with(Base::Pristine);
    bench.recalibrate(&format!("cpu = {cpu:?}"), "cpu = \"another\"");
    bench.recalibrate("spread = 0.0", "spread = 0.1");
    let record = graded(&bench, FIRST);
    assert_eq!((record.marks, record.live_marks), (Some(MarkSource::Calibration), None));
    assert_eq!((record.outcome, record.fast), (Outcome::TooSlow, Some(false)));
}

/// Where the reference solution is so slow that its guard band would reach below what noise reaches,
/// an unchanged library does not pass all the same.
#[test]
fn a_live_mark_that_anybody_could_pass_is_no_mark() {
    let _turn = alone();
    let bench = Bench::with(Base::Pristine);
    let graded = || {
        bench.grade(FIRST).arg("--live-ref").assert().code(0);
        bench.verdict()
    };
    bench.recalibrate("guard = 0.0", "guard = 20.0");
    bench.recalibrate("spread = 0.0", "spread = 0.1");
    let cpu = speedgate::timer::machine::machine().cpu;
    bench.recalibrate(&format!("cpu = {cpu:?}"), "cpu = \"another\"");
    let record = graded();
    assert_eq!((record.marks, record.outcome), (Some(MarkSource::Live), Outcome::TooSlow));
    let least = f64::exp(0.3);
    assert!((record.pass_at.unwrap() - least).abs() < 1e-9, "{:?}", record.pass_at);

    // Nor by the strict rule, whose mark is the solution's own speed: here it is far below the noise.
    bench.recalibrate("spread = 0.1", "spread = 3.0");
    let record = graded();
    let least = f64::exp(9.0);
    assert!((record.s_ref.unwrap() - least).abs() < 1e-6 * least, "{:?}", record.s_ref);
    assert!(record.needs_human && record.outcome == Outcome::TooSlow, "{}", record.message);
}

/// The replay command of a failure finds the same one.
#[test]
fn a_failure_replays() {
    let _turn = together();
    let bench = Bench::submitted("flipped-bit-window", Base::Solution(FIRST));
    let found = graded(&bench, FIRST).failure.unwrap();
    let args = ["check", "toy", "--step", "01", "--workspace", "my"];
    let seed = found.seed.clone().unwrap();
    let done = bench.speedgate().args(args).args(["--seed", &seed, "--json"]).assert().code(0);
    let again = support::record(&done.get_output().stdout).failure.unwrap();
    assert_eq!((&again.case, &again.difference), (&found.case, &found.difference));
    // The command that is printed makes that call and no other.
    let replay = found.replay.unwrap();
    let case = replay.rsplit(' ').next().unwrap();
    let args_of_one = [&args[..], &["--seed", &seed, "--replay", case, "--json"]].concat();
    let done = bench.speedgate().args(args_of_one).assert().code(0);
    let one = support::record(&done.get_output().stdout);
    assert_eq!(one.functions.len(), 1);
    let one = one.failure.unwrap();
    assert_eq!((one.case, one.difference), (found.case, found.difference));
    for nothing in ["window:17000", "nosuch:1", "window"] {
        let args = [&args[..], &["--replay", nothing]].concat();
        bench.speedgate().args(args).assert().code(2).stderr(contains(nothing));
    }
    // Without `--json` it is shown to people.
    let args = [&args[..], &["--seed", &seed, "--require-pass"]].concat();
    bench
        .speedgate()
        .args(args)
        .assert()
        .code(1)
        .stdout(contains("dst differs").or(contains("`dst` differs")));
}
