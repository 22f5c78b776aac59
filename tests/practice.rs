//! `practice`, `check` and machines with little to offer, through the built binary.

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use speedgate::report::record::{
    Cause, Counters, Event, Outcome, Record, SideCounts, Source, Stopwatch,
};
use speedgate::worker::CoreLease;
use support::{Base, Bench, FIRST, alone, record, together};

/// Runs a command with `--json`: exactly one document on stdout.
fn answered(command: &mut Command) -> Record {
    let done = command.arg("--json").assert().code(0);
    record(&done.get_output().stdout)
}

#[test]
fn practice_without_a_workspace_shows_what_there_is_to_win() {
    let _turn = alone();
    let bench = Bench::new();
    bench.speedgate().args(["practice", "toy", "--step", "01"]).assert().code(0).stdout(
        contains("rank")
            .and(contains("window"))
            .and(contains("reference solution"))
            .and(contains("speedgate workspace toy --out my"))
            .and(contains("\x1b").not()),
    );
    assert!(!bench.out().exists());
}

/// A solution that comes as near its own mark as machines drift is not called too slow.
#[test]
fn a_solution_is_not_held_against_its_own_mark() {
    let _turn = alone();
    let bench = Bench::new();
    let practise = || answered(bench.speedgate().args(["practice", "toy", "--step", "01"]));
    let far = practise();
    assert_eq!((far.fast, far.confident), (Some(true), Some(true)), "{}", far.message);
    bench.recalibrate("spread = 0.0", "spread = 10.0");
    let near = practise();
    assert_eq!((near.fast, near.confident, near.pass_at), (None, None, Some(2.0)));
    assert_eq!(near.outcome, Outcome::Pass);
    assert!(near.message.contains("as near the mark"), "{}", near.message);
    // Nor against one of another processor, in one step or over all.
    bench.recalibrate("spread = 10.0", "spread = 0.0");
    let cpu = speedgate::timer::machine::machine().cpu;
    bench.recalibrate(&format!("cpu = {cpu:?}"), "cpu = \"another\"");
    let elsewhere = practise();
    assert_eq!((elsewhere.fast, elsewhere.outcome), (None, Outcome::Pass));
    assert!(elsewhere.message.contains("another processor's"), "{}", elsewhere.message);
    let all = answered(bench.speedgate().args(["practice", "toy"]));
    assert!(all.steps.len() == 2 && all.steps.iter().all(|s| s.fast.is_none()), "{:?}", all.steps);
}

/// The inputs of `practice` are public: the same seed each time, and the same failure on the same
/// input.
#[test]
fn practice_meets_the_same_inputs_each_time() {
    let _turn = together();
    let bench = Bench::submitted("flipped-bit-window", Base::Solution(FIRST));
    let practise = || {
        answered(bench.speedgate().args(["practice", "toy", "--step", "01", "--workspace", "my"]))
    };
    let (a, b) = (practise(), practise());
    assert_eq!(a.outcome, Outcome::WrongOutput, "{}", a.message);
    assert_eq!(a.seed, b.seed);
    let (a, b) = (a.failure.unwrap(), b.failure.unwrap());
    assert!(a.case.is_some() && a.difference.is_some());
    assert_eq!((a.case, a.difference, a.replay), (b.case, b.difference, b.replay));
}

#[test]
fn practice_goes_over_all_steps_and_gives_no_reward() {
    let _turn = alone();
    let bench = Bench::new();
    let record = answered(bench.speedgate().args(["practice", "toy"]));
    assert_eq!(record.outcome, Outcome::Pass, "{}", record.message);
    assert_eq!((record.step, record.reward), (None, None));
    let steps: Vec<&str> = record.steps.iter().map(|s| s.id.as_str()).collect();
    assert_eq!(steps, [support::FIRST, support::SECOND]);
    assert!(record.steps.iter().all(|s| s.fast == Some(true)));
    assert!(record.functions.iter().all(|f| f.speedup.unwrap().value > 5.0));
}

/// Counts come from outside the worker, whoever gives them here, and each event that has none says
/// why.
#[test]
fn counters_show_what_a_call_does() {
    let _turn = alone();
    let bench = Bench::submitted("faults-pages", Base::Solution(FIRST));
    let args = ["practice", "toy", "--step", "01", "--workspace", "my"];
    let record = answered(bench.speedgate().args(args));
    assert_eq!(record.outcome, Outcome::Pass, "{}", record.message);
    let Counters::Counted { events, functions } = &record.counters else {
        panic!("{:?}", record.counters)
    };
    assert_eq!(events.len(), Event::ALL.len());
    assert!(events.iter().all(|e| e.source == Some(Source::Perf) || e.reason.is_some()));
    let faults = |name: &str| {
        let f = functions.iter().find(|f| f.function == name).unwrap();
        let of = |side: &SideCounts| side.of(Event::PageFaults).unwrap().per_call;
        (of(&f.reference), of(&f.candidate))
    };
    // Eight pages a call are eight faults; nobody else has any.
    let (ours, theirs) = faults("rank");
    assert!(ours < 1.0 && (7.0..10.0).contains(&theirs), "{ours} {theirs}");
    let noise = record.noise.iter().find(|n| n.cause == Cause::PageFaults).unwrap();
    assert!(noise.unit.contains("candidate's rank"), "{noise:?}");
    let (ours, theirs) = faults("window");
    assert!(ours < 1.0 && theirs < 1.0, "{ours} {theirs}");
}

/// The same call on the same bytes is slower the farther away they are; nothing else differs.
#[test]
fn profiles_find_their_data_where_they_say() {
    let _turn = alone();
    let bench = Bench::new();
    let task = bench.root().join("kernels/far");
    let mine = bench.path().join("far");
    for folder in [task.join("src"), mine.clone()] {
        fs::create_dir_all(&folder).unwrap();
        // Each address depends on what was read before: nothing hides how far away it was. As many
        // steps as there are lines, so that most of them come to a line for the first time.
        let walk = "#include <stdint.h>\nuint64_t far_walk(const uint64_t *x) {\n\
                    uint64_t at = 0; for (int i = 0; i < 256; i++) at = x[(at + i) & 2047];\n\
                    return at; }\n";
        fs::write(folder.join("walk.c"), walk).unwrap();
    }
    let manifest = r#"
        task = { name = "far", title = "far: a walk" }
        source = { tree = "src" }
        build = { lang = "c", flags = ["-O3", "-mavx2"], sources = ["*.c"], editable = ["*.c"] }
        step = [{ id = "01-walk", functions = ["walk"] }]
        limits = { noise = 1.0, timing_seconds = 1 }
        [function.walk]
        c = "uint64_t far_walk(const uint64_t *x)"
        args.x = { in = 2048 }
        profile.warm = { weight = 1 }
        profile.l2 = { weight = 1, cache = "l2" }
        profile.cold = { weight = 1, cache = "cold" }
    "#;
    fs::write(task.join("task.toml"), manifest).unwrap();
    let args = ["practice", "far", "--step", "01", "--workspace", "far"];
    let record = answered(bench.speedgate().args(args));
    assert_eq!(record.correct, Some(true), "{}", record.message);
    let times: Vec<f64> = record.functions[0].profiles.iter().map(|p| p.reference_ns).collect();
    assert!(times.is_sorted() && times[2] > 2.0 * times[0], "{times:?}");
}

#[test]
fn check_looks_at_outputs_only() {
    let _turn = together();
    let bench = Bench::with(Base::Pristine);
    let args = ["check", "toy", "--workspace", "my"];
    let record = answered(bench.speedgate().args(args).arg("--require-pass"));
    assert_eq!(record.outcome, Outcome::Pass);
    assert_eq!((record.correct, record.fast, record.reward), (Some(true), None, None));
    assert!(record.functions.iter().all(|f| f.checked_calls > 300 && f.speedup.is_none()));

    let bench = Bench::submitted("wrong-return", Base::Pristine);
    bench
        .speedgate()
        .args(args)
        .arg("--require-pass")
        .assert()
        .code(1)
        .stdout(contains("returned"));
    bench.speedgate().args(args).assert().code(0);
}

/// Marks from elsewhere are held against replays here, which changes nothing.
#[test]
fn calibrate_check_says_whether_marks_hold_and_writes_nothing() {
    let _turn = alone();
    let bench = Bench::new();
    let before = fs::read_to_string(bench.calibration()).unwrap();
    let args = ["calibrate", "toy", "--step", "01", "--check", "--replays", "1"];
    // The fixture's calibration says 2 without any spread; the solution is much faster.
    bench.speedgate().args(args).assert().code(0).stdout(
        contains("s_ref = 2.000 calibrated: DOES NOT AGREE")
            .and(contains("against itself, less than 0.0 % behind: "))
            .and(contains("of 1 replays"))
            .and(contains("calibrated with compiler `this`")),
    );
    assert_eq!(fs::read_to_string(bench.calibration()).unwrap(), before);
}

/// Whoever measures has the cores to itself: another one waits, says for whom, and goes on when
/// they are free. `check` measures nothing and waits for nobody.
#[test]
fn a_second_measurement_waits_for_the_first() {
    let _turn = alone();
    let bench = Bench::new();
    let me = format!("pid {} (practice elsewhere, since", std::process::id());
    let lease = |patience| CoreLease::wait("practice elsewhere", patience, &|_| {});
    let mut all = vec![lease(Duration::from_secs(300)).unwrap()];
    all.extend(std::iter::from_fn(|| lease(Duration::ZERO).ok()));

    let args = ["toy", "--step", "01", "--solution"];
    bench.speedgate().arg("check").args(args).assert().code(0).stderr(contains("waiting").not());
    let doctor = bench.speedgate().args(["doctor", "--json"]).output().unwrap().stdout;
    let found: serde_json::Value = serde_json::from_slice(&doctor).unwrap();
    let core = all[0].cores().workers;
    let listed = found["leases"].as_array().unwrap().iter().find(|l| l["core"] == core).unwrap();
    assert_eq!(listed["pid"], std::process::id());
    assert_eq!(listed["what"], "practice elsewhere");

    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_speedgate"));
    command.env("SPEEDGATE_ROOT", bench.root()).env("SPEEDGATE_CACHE", bench.cache());
    command.args(["practice", "toy", "--step", "01"]).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut other = command.spawn().unwrap();
    let mut lines = BufReader::new(other.stderr.take().unwrap()).lines().map_while(Result::ok);
    let waits = lines.find(|l| l.starts_with("waiting: ")).expect("a line that says so");
    assert!(waits.contains(&me), "{waits}");
    drop(all);
    assert!(lines.any(|l| l.contains("timing")), "it goes on");
    lines.for_each(drop);
    assert!(other.wait().unwrap().success());
}

/// On one core both sides hand over through the kernel, and the record says so.
#[test]
fn one_core_is_enough() {
    let _turn = alone();
    let core = speedgate::worker::cores::allowed()[0].to_string();
    let slow = Bench::with(Base::Pristine);
    let fast = Bench::submitted("moderately-fast", Base::Pristine);
    for (bench, reward) in [(slow, 0), (fast, 1)] {
        let mut command = bench.command("taskset");
        command.args(["-c", &core, env!("CARGO_BIN_EXE_speedgate"), "grade", "toy", "--step"]);
        command.args(["01", "--workspace", "my", "--out", "out", "--trust-workspace"]);
        command.assert().code(0).stdout(contains("futex").or(contains("one core")));
        let record = bench.verdict();
        assert_eq!(record.machine.stopwatch, Some(Stopwatch::Futex));
        assert_eq!(record.machine.supervisor_core, record.machine.worker_core);
        assert_eq!(record.reward, Some(reward), "{}", record.message);
    }
}

/// A command line that runs the binary as somebody without any privilege; `None` (and a word about
/// it) where that can't be done.
fn ordinary(bench: &Bench) -> Option<Command> {
    // SAFETY: `geteuid` cannot fail.
    let root = unsafe { libc::geteuid() } == 0;
    let cache = bench.path().join("cache");
    fs::create_dir_all(&cache).unwrap();
    let mut command = if root {
        // The build folder may be one that others can't enter.
        let copy = bench.path().join("speedgate");
        fs::copy(env!("CARGO_BIN_EXE_speedgate"), &copy).unwrap();
        for folder in [bench.path(), &cache] {
            std::os::unix::fs::chown(folder, Some(65534), Some(65534)).unwrap();
        }
        let become_somebody = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
        let works =
            std::process::Command::new("setpriv").args(become_somebody).arg("true").output();
        if !works.is_ok_and(|done| done.status.success()) {
            eprintln!("skipped: `setpriv` can't become an ordinary user here");
            return None;
        }
        let mut command = bench.command("setpriv");
        command.args(become_somebody).arg(copy);
        command
    } else {
        bench.speedgate()
    };
    command.env("SPEEDGATE_CACHE", cache);
    Some(command)
}

#[test]
fn an_ordinary_user_grades_only_a_trusted_workspace() {
    let _turn = alone();
    let bench = Bench::with(Base::Solution(FIRST));
    let args = ["grade", "toy", "--step", "01", "--workspace", "my", "--out", "out"];
    let Some(mut command) = ordinary(&bench) else { return };
    command.args(args).assert().code(2).stdout("").stderr(contains("--trust-workspace"));
    bench.only_zeros();
    command.arg("--trust-workspace").assert().code(0);
    let record = bench.verdict();
    assert_eq!(record.reward, Some(1), "{}", record.message);
    let user =
        record.capabilities.iter().find(|c| c.name.contains("user") || c.name.contains("uid"));
    assert!(user.is_none_or(|c| format!("{:?}", c.state) != "Proven"), "{user:?}");
}

#[test]
fn an_ordinary_user_practises() {
    let _turn = alone();
    let bench = Bench::with(Base::Pristine);
    let Some(mut command) = ordinary(&bench) else { return };
    command.args(["practice", "toy", "--step", "01", "--workspace", "my"]);
    let record = answered(&mut command);
    assert_eq!(record.outcome, Outcome::TooSlow, "{}", record.message);
    assert_eq!(record.reward, None);
}

/// An ordinary user's workspace that may not be listed, and output folder that may not be written.
#[test]
fn an_ordinary_user_may_not_do_everything() {
    let bench = Bench::with(Base::Pristine);
    let closed = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    closed(&bench.workspace(), 0o000);
    let out = bench.path().join("read-only");
    fs::create_dir(&out).unwrap();
    closed(&out, 0o555);
    for (out, says) in [("out", "the workspace my cannot be read"), ("read-only", "can't write")] {
        let Some(mut command) = ordinary(&bench) else { return };
        command.args(["grade", "toy", "--step", "01", "--workspace", "my", "--trust-workspace"]);
        command.args(["--out", out]).assert().code(2).stdout("").stderr(contains(says));
    }
    bench.only_zeros();
    assert_eq!(fs::read_dir(&out).unwrap().count(), 0);
}
