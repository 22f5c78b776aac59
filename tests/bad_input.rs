//! Bad input to a grading: one clear error, the exit code that is promised, rewards of 0 and no
//! partial file.

mod support;

use std::fs;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use support::{Base, Bench, FIRST, together};

/// Fails with one error on stderr that says `says`; stdout stays empty.
fn fails(command: &mut Command, code: i32, says: &[&str]) {
    let done = command.assert().code(code).stdout("");
    let done = done.stderr(contains("\x1b").not().and(contains("panicked").not()));
    let text = String::from_utf8(done.get_output().stderr.clone()).unwrap();
    for words in says {
        assert!(text.contains(words), "{words:?} is not in: {text}");
    }
}

fn grade(bench: &Bench, task: &str, step: &str) -> Command {
    let mut command = bench.speedgate();
    command.args(["grade", task, "--step", step, "--out", "out"]);
    command
}

#[test]
fn a_task_or_step_that_is_not_there() {
    let bench = Bench::new();
    fails(grade(&bench, "tyo", "01").arg("--solution"), 2, &["tyo", "toy"]);
    bench.only_zeros();
    fails(grade(&bench, "toy", "03").arg("--solution"), 2, &["03", "01-counting, 02-text"]);
    bench.only_zeros();
}

/// The place is shown, with a caret under it.
#[test]
fn a_manifest_that_is_no_toml() {
    let bench = Bench::new();
    let manifest = bench.root().join("kernels/toy/task.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    let line = text.lines().position(|l| l.starts_with("title")).unwrap() + 1;
    fs::write(&manifest, text.replace("title = ", "title = = ")).unwrap();
    let place = format!("task.toml:{line}");
    fails(grade(&bench, "toy", "01").arg("--solution"), 3, &[&place, "title = =", "^"]);
    bench.only_zeros();
}

#[test]
fn a_manifest_that_makes_no_sense() {
    let bench = Bench::new();
    let manifest = bench.root().join("kernels/toy/task.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    let line = text.lines().position(|l| l.starts_with("args.rank")).unwrap() + 1;
    fs::write(
        &manifest,
        text.replace("args.rank = { out = \"n\" }", "args.rank = { out = \"m\" }"),
    )
    .unwrap();
    let place = format!("task.toml:{line}");
    fails(grade(&bench, "toy", "01").arg("--solution"), 3, &[&place, "args.rank", "^"]);
    bench.only_zeros();
}

#[test]
fn a_workspace_that_is_none() {
    let bench = Bench::new();
    fs::write(bench.path().join("file"), "").unwrap();
    for name in ["gone", "file"] {
        let mut command = grade(&bench, "toy", "01");
        command.args(["--trust-workspace", "--workspace", name]);
        fails(&mut command, 2, &["the workspace", "cannot be read", name]);
        bench.only_zeros();
    }
}

#[test]
fn a_machine_without_a_compiler() {
    let bench = Bench::new();
    let mut command = grade(&bench, "toy", "01");
    fails(command.arg("--solution").env("SPEEDGATE_CC", "/nowhere/cc"), 4, &["compiler"]);
    bench.only_zeros();
}

/// What fails for root, too: a file in the folder's place, a file system that takes nothing, and a
/// folder in a reward's place.
#[test]
fn an_output_folder_that_can_not_be_written() {
    let bench = Bench::new();
    fs::write(bench.path().join("file"), "mine").unwrap();
    for out in ["file", "file/deeper", "/proc/speedgate"] {
        let mut command = bench.speedgate();
        command.args(["grade", "toy", "--step", "01", "--solution", "--out", out]);
        fails(&mut command, 2, &["can't write", out]);
    }
    assert_eq!(fs::read_to_string(bench.path().join("file")).unwrap(), "mine");
}

/// A reference that does not build is the task's fault, not the candidate's.
#[test]
fn a_task_that_does_not_build() {
    let _turn = together();
    let bench = Bench::with(Base::Solution(FIRST));
    fs::write(bench.root().join("kernels/toy/src/rank.c"), "no C\n").unwrap();
    let mut command = grade(&bench, "toy", "01");
    command.args(["--workspace", "my", "--trust-workspace"]);
    fails(&mut command, 3, &["rank.c"]);
    bench.only_zeros();
}

/// What an earlier grading left is not taken for this one's.
#[test]
fn an_earlier_result_is_removed_first() {
    let bench = Bench::new();
    fs::create_dir(bench.out()).unwrap();
    for (name, text) in
        [("reward.json", "{\"reward\": 1}"), ("reward.txt", "1"), ("result.json", "{}")]
    {
        fs::write(bench.out().join(name), text).unwrap();
    }
    fails(grade(&bench, "tyo", "01").arg("--solution"), 2, &["tyo"]);
    bench.only_zeros();
}
