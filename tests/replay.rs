//! Failures of the gate through the built binary: the smallest call that fails, what depends on other
//! calls, what is incomplete, and replays in a debugger.

mod support;

use std::fs;
use std::path::Path;

use predicates::prelude::*;
use predicates::str::contains;
use speedgate::report::record::{Again, Failure, Outcome, Record};
use support::{Base, Bench, FIRST, SECOND, together};

const CHECK: [&str; 6] = ["check", "toy", "--step", "01", "--workspace", "my"];

fn checked(bench: &Bench, more: &[&str]) -> Record {
    let done = bench.speedgate().args(CHECK).args(more).arg("--json").assert().code(0);
    support::record(&done.get_output().stdout)
}

/// What a command that was printed passes to `--replay`.
fn calls(command: &str) -> &str {
    command.rsplit_once(" --replay ").expect("a replay").1
}

/// The call that a failure's smallest one is made again by fails in the same way.
fn replays(bench: &Bench, found: &Failure) -> Failure {
    let small = found.smallest.as_ref().expect("it was made smaller");
    let command = small.replay.as_ref().expect("few calls");
    let again = checked(bench, &["--replay", calls(command)]);
    let again = again.failure.expect("it fails again");
    assert_eq!((&again.message, &again.difference), (&small.message, &small.difference));
    assert_eq!(again.replay.as_ref().map(|c| calls(c)), Some(calls(command)));
    again
}

#[test]
fn a_failure_is_made_as_small_as_it_can_be() {
    let _turn = together();
    let bench = Bench::submitted("flipped-bit-window", Base::Solution(FIRST));
    let record = checked(&bench, &[]);
    assert_eq!((record.outcome, record.correct), (Outcome::WrongOutput, Some(false)));
    let found = record.failure.unwrap();
    assert_eq!(found.again, Some(Again::Alone));
    let small = found.smallest.as_ref().unwrap();
    assert_eq!(small.after, 0);
    // Wrong in row 3 whatever is there: four rows of one pixel, all nothing, without padding.
    assert_eq!(small.case, "dp = 0, dst_stride = 1, h = 4, sp = 0, src_stride = 1, w = 1");
    assert_eq!(small.inputs[0].name, "src");
    assert_eq!((small.inputs[0].bytes, small.inputs[0].begin.as_str()), (4, "00000000"));
    let element = small.difference.as_ref().unwrap().element.as_ref().unwrap();
    assert_eq!((element.row, element.index), (Some(3), 0));
    assert_eq!((element.expected.as_str(), element.actual.as_str()), ("0", "32768"));
    replays(&bench, &found);
    bench
        .speedgate()
        .args(CHECK)
        .assert()
        .code(0)
        .stdout(contains("smallest call found that fails").and(contains("row 3, element 0")));
}

#[test]
fn draws_are_lowered_to_the_least_that_fails_and_elements_to_those_that_matter() {
    let _turn = together();
    let bench = Bench::submitted("wrong-from-a-width", Base::Solution(FIRST));
    let found = checked(&bench, &[]).failure.unwrap();
    let small = found.smallest.as_ref().unwrap();
    assert_eq!(small.case, "dp = 0, dst_stride = 77, h = 1, sp = 0, src_stride = 77, w = 77");
    let src = &small.inputs[0];
    let (zeros, rest) = src.begin.split_at(10);
    let (culprit, more) = rest.split_at(2);
    assert_eq!((src.bytes, zeros, more.trim_matches('0')), (77, "0000000000", ""));
    assert!(u8::from_str_radix(culprit, 16).unwrap() > 100, "{culprit}");
    // 8 for w, 2 for the other draws, some 14 for the one element; a search that takes a wrong turn, hundreds.
    assert!(small.attempts < 60, "{} attempts", small.attempts);
    replays(&bench, &found);
}

#[test]
fn a_check_goes_on_after_a_failure_and_may_be_of_some_functions() {
    let _turn = together();
    let bench = Bench::submitted("flipped-bit-window", Base::Solution(SECOND));
    let unhex = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/submissions/flipped-bit-unhex");
    fs::copy(unhex.join("unhex.c"), bench.workspace().join("unhex.c")).unwrap();
    let check = |more: &[&str]| {
        bench.speedgate().args(["check", "toy", "--workspace", "my"]).args(more).assert()
    };
    let found = |more: &[&str]| {
        let done = check(&[more, &["--json"]].concat()).code(0);
        support::record(&done.get_output().stdout)
    };
    let outcomes = |record: &Record| -> Vec<(String, Option<Outcome>)> {
        record.functions.iter().map(|f| (f.name.clone(), f.outcome)).collect()
    };
    let wrong = Some(Outcome::WrongOutput);
    let of = |name: &str, outcome| (name.to_owned(), outcome);

    let all = found(&[]);
    let expected = [of("rank", Some(Outcome::Pass)), of("window", wrong), of("unhex", wrong)];
    assert_eq!((all.outcome, outcomes(&all)), (Outcome::WrongOutput, expected.to_vec()));
    let first = all.failure.unwrap();
    assert_eq!(all.more_failures.len(), 1);
    let mut failed = [first.function, all.more_failures[0].function.clone()].map(Option::unwrap);
    failed.sort();
    assert_eq!(failed, ["unhex", "window"]);
    assert!(all.more_failures[0].smallest.is_some() && all.more_failures[0].replay.is_some());

    let right = found(&["--function", "rank"]);
    assert_eq!(outcomes(&right), [of("rank", Some(Outcome::Pass))]);
    let two = found(&["--function", "unhex", "--function", "rank"]);
    assert_eq!(outcomes(&two), [of("rank", Some(Outcome::Pass)), of("unhex", wrong)]);
    check(&["--function", "widow"]).code(2).stderr(contains("did you mean `window`?"));
    check(&["--function", "unhex", "--step", "01"]).code(2).stderr(contains("no function `unhex`"));
}

/// Vectors of the pairs of digits `3132`, read right, and as somebody would who reads them backwards.
#[test]
fn known_answers_are_held_against_both_sides() {
    let _turn = together();
    let bench = Bench::with(Base::Solution(SECOND));
    let task = bench.root().join("kernels/toy");
    let manifest = fs::read_to_string(task.join("task.toml")).unwrap();
    let with = "[function.unhex]\nkat = \"kat/unhex.toml\"";
    fs::write(task.join("task.toml"), manifest.replace("[function.unhex]", with)).unwrap();
    fs::create_dir(task.join("kat")).unwrap();
    let vector = |bytes: &str, ret: u32| {
        let (text, end) = ("33313332", "0400000000000000");
        let vector = format!(
            "[[vector]]\ndraw.n = 4\nin.text = \"{text}\"\nout.bytes = \"{bytes}\"\n\
             out.end = \"{end}\"\nret = {ret}\n"
        );
        fs::write(task.join("kat/unhex.toml"), vector).unwrap();
    };
    let check = || {
        let args = ["check", "toy", "--workspace", "my", "--function", "unhex", "--json"];
        support::record(&bench.speedgate().args(args).assert().code(0).get_output().stdout)
    };

    vector("3132", 2);
    let known = check();
    assert_eq!(known.outcome, Outcome::Pass, "{}", known.message);
    let args = ["check", "toy", "--workspace", "my", "--json", "--replay"];
    let fourth = bench.speedgate().args(args).arg("unhex:99000003").assert().code(0);
    let fourth = support::record(&fourth.get_output().stdout);
    assert_eq!((fourth.outcome, fourth.functions[0].checked_calls), (Outcome::Pass, 1));
    bench.speedgate().args(args).arg("unhex:99000004").assert().code(2);

    for (bytes, ret, says) in [
        (
            "3231",
            2,
            "vector 1 of `kat/unhex.toml`: the reference's `bytes` (2 bytes) differs at byte 0",
        ),
        ("313200", 2, "`bytes` (2 bytes) differs at byte 2 of 3"),
        ("3132", 3, "return value is 2, not 3"),
    ] {
        vector(bytes, ret);
        let wrong = check();
        assert_eq!(wrong.outcome, Outcome::Incomplete);
        assert!(wrong.message.contains(says), "{}", wrong.message);
    }
}

#[test]
fn what_fails_after_other_calls_only_is_shown_with_them() {
    let _turn = together();
    let bench = Bench::submitted("depends-on-others", Base::Solution(FIRST));
    let record = checked(&bench, &[]);
    assert_eq!(record.outcome, Outcome::WrongOutput);
    let found = record.failure.unwrap();
    assert_eq!(found.function.as_deref(), Some("window"));
    assert_eq!(found.again, Some(Again::AfterOthers));
    let small = found.smallest.as_ref().unwrap();
    assert_eq!(small.after, 1);
    let (before, last) = calls(small.replay.as_ref().unwrap()).split_once(',').unwrap();
    assert!(before.starts_with("rank:") && last.starts_with("window:"), "{before} {last}");
    replays(&bench, &found);
    // Alone neither of them fails.
    for alone in [before, last] {
        assert_eq!(checked(&bench, &["--replay", alone]).outcome, Outcome::Pass);
    }
}

/// Not the last few calls before it, nor all of them: as many as it takes.
#[test]
fn what_fails_after_some_calls_is_shown_with_no_more_of_them() {
    let _turn = together();
    let bench = Bench::submitted("wrong-at-the-sixth-call", Base::Solution(FIRST));
    let found = checked(&bench, &[]).failure.unwrap();
    assert_eq!(found.again, Some(Again::AfterOthers));
    let small = found.smallest.as_ref().unwrap();
    assert_eq!(small.after, 5);
    assert!(small.attempts < 100, "{} attempts", small.attempts);
    assert_eq!(calls(small.replay.as_ref().unwrap()).matches("window:").count(), 6);
    replays(&bench, &found);
}

#[test]
fn fewer_calls_than_the_plan_has_are_incomplete() {
    let _turn = together();
    let bench = Bench::submitted("slow-to-answer", Base::Solution(FIRST));
    let manifest = bench.root().join("kernels/toy/task.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    assert!(text.contains("grade_seconds = 300"));
    fs::write(&manifest, text.replace("grade_seconds = 300", "grade_seconds = 1")).unwrap();
    let record = checked(&bench, &[]);
    assert_eq!((record.outcome, record.correct), (Outcome::Incomplete, None));
    assert!(
        record.needs_human && record.functions.iter().all(|f| f.outcome != Some(Outcome::Pass))
    );
}

#[test]
fn nonsense_is_no_replay() {
    let bench = Bench::with(Base::Pristine);
    for nothing in ["window:1:w=0", "rank:1:x.0-", "rank:1,", "rank:1:rank.0-1"] {
        let args = [&CHECK[..], &["--replay", nothing]].concat();
        bench.speedgate().args(args).assert().code(2).stderr(contains(nothing));
    }
    let args = [&CHECK[..], &["--under", "gdb"]].concat();
    bench.speedgate().args(args).assert().code(2).stderr(contains("--replay"));
}

#[test]
fn a_debugger_that_is_missing_is_named_with_its_package() {
    let bench = Bench::with(Base::Pristine);
    for tool in ["gdb", "valgrind"] {
        let args = [&CHECK[..], &["--replay", "rank:1", "--under", tool]].concat();
        let says = format!("apt-get install {tool}");
        bench
            .speedgate()
            .env("PATH", "/nowhere")
            .args(args)
            .assert()
            .code(4)
            .stderr(contains(says));
    }
}

/// Whether a tool is there; says so where it is not.
fn installed(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|dir| dir.join(tool).is_file());
    if !found {
        eprintln!("skipped: {tool} is not installed");
    }
    found
}

#[test]
fn gdb_stops_at_the_function_of_a_replay() {
    if !installed("gdb") {
        return;
    }
    let _turn = together();
    let bench = Bench::with(Base::Pristine);
    let args = [&CHECK[..], &["--replay", "rank:3,window:4:h=2", "--under", "gdb"]].concat();
    let done = bench.speedgate().args(args).write_stdin("bt\ncontinue\nquit\n").assert().code(0);
    // With debug information there are places in the source.
    done.stdout(contains("Breakpoint ").and(contains("#0 ")).and(contains("window.c:")));
}

#[test]
fn valgrind_names_the_function_that_reads_too_far() {
    if !installed("valgrind") {
        return;
    }
    let _turn = together();
    let bench = Bench::submitted("reads-past-the-end", Base::Solution(FIRST));
    let found = checked(&bench, &[]).failure.unwrap();
    let replay = calls(found.replay.as_ref().unwrap());
    let args = [&CHECK[..], &["--replay", replay, "--under", "valgrind"]].concat();
    bench
        .speedgate()
        .args(args)
        .assert()
        .code(0)
        .stderr(contains("Invalid read").or(contains("Process terminating")).and(contains("toy_")));
}
