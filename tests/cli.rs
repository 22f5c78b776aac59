//! The command line through the built binary: help, errors, exit codes, what is printed where.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use tempfile::TempDir;

const COMMANDS: [&str; 10] = [
    "list",
    "lint",
    "workspace",
    "solution",
    "check",
    "grade",
    "practice",
    "calibrate",
    "selftest",
    "doctor",
];

const USAGE: i32 = 2;
const BAD_TASK: i32 = 3;

const MANIFEST: &str = r#"
[task]
name = "tiny"
title = "tiny: one function"
[source]
tree = "src"
[build]
lang = "c"
flags = ["-O2"]
sources = ["*.c"]
editable = ["*.c"]
[[step]]
id = "01-add"
functions = ["add"]
[[step]]
id = "02-sub"
functions = ["sub"]
[function.add]
c = "void add(uint8_t *x, size_t n)"
draw = { n = [1, 64] }
args.x = { inout = "n" }
profile.small = { weight = 1, n = 64 }
[function.sub]
c = "void sub(uint8_t *x, size_t n)"
draw = { n = [1, 64] }
args.x = { inout = "n" }
profile.small = { weight = 1, n = 64 }
"#;

/// A root folder with one small task, and an empty folder beside it.
fn root() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let task = dir.path().join("kernels/tiny");
    fs::create_dir_all(task.join("src")).unwrap();
    fs::create_dir_all(task.join("include")).unwrap();
    fs::create_dir_all(dir.path().join("empty")).unwrap();
    fs::write(task.join("task.toml"), MANIFEST).unwrap();
    fs::write(task.join("src/tiny.c"), "").unwrap();
    dir
}

fn speedgate(root: &Path) -> Command {
    let mut command = Command::cargo_bin("speedgate").unwrap();
    command
        .env("SPEEDGATE_ROOT", root)
        .env("SPEEDGATE_CACHE", root.join("cache"))
        .current_dir(root);
    command
}

/// One clear error on stderr without escape codes, nothing on stdout.
fn fails(root: &Path, args: &[&str], code: i32, says: &str) {
    speedgate(root)
        .args(args)
        .assert()
        .code(code)
        .stdout("")
        .stderr(contains(says).and(contains("\x1b").not()).and(contains("panicked").not()));
}

#[test]
fn every_command_has_help_with_examples() {
    let root = root();
    for command in COMMANDS {
        speedgate(root.path())
            .args([command, "--help"])
            .assert()
            .success()
            .stdout(contains("Examples:").and(contains(format!("speedgate {command}"))))
            .stderr("");
    }
    let help = speedgate(root.path()).arg("--help").assert().success();
    let text = String::from_utf8(help.get_output().stdout.clone()).unwrap();
    for command in COMMANDS {
        assert!(text.contains(&format!("\n  {command} ")), "{command} is not in the overview");
    }
}

#[test]
fn wrong_usage_exits_with_two() {
    let root = root();
    for args in [
        vec![],
        vec!["nosuch"],
        vec!["grade", "tiny"],
        vec!["grade", "tiny", "--step", "01", "--out", "o"],
        vec!["grade", "tiny", "--step", "01", "--out", "o", "--solution", "--workspace", "empty"],
        vec!["check", "tiny", "--solution", "--seed", "xyz"],
        vec!["calibrate", "tiny", "--replays", "0"],
    ] {
        speedgate(root.path()).args(&args).assert().code(USAGE).stdout("");
        assert!(!root.path().join("o").exists(), "{args:?}");
    }
}

#[test]
fn unknown_names_are_usage_errors_that_say_what_there_is() {
    let root = root();
    fails(root.path(), &["practice", "tinny"], USAGE, "tiny");
    fails(root.path(), &["practice", "tiny", "--step", "09"], USAGE, "01-add");
    fails(root.path(), &["practice", "tiny", "--step", "0"], USAGE, "several");
    fails(root.path(), &["check", "tiny", "--step", "x", "--solution"], USAGE, "01-add");
    fails(root.path(), &["calibrate", "tiny", "--step", "x"], USAGE, "01-add");
    fails(root.path(), &["calibrate", "tiny", "--replays", "3"], USAGE, "a mark needs 10");
    fails(root.path(), &["calibrate", "tiny", "--check"], BAD_TASK, "is not calibrated");
    fails(root.path(), &["lint", "nosuch"], USAGE, "nosuch");
}

#[test]
fn a_bad_manifest_shows_its_place() {
    let root = root();
    let manifest = root.path().join("kernels/tiny/task.toml");
    fs::write(&manifest, "[task]\nname = \n").unwrap();
    fails(root.path(), &["practice", "tiny"], BAD_TASK, "task.toml");
    fails(root.path(), &["lint", "tiny"], BAD_TASK, "task.toml");
    speedgate(root.path()).arg("list").assert().success().stdout(contains("bad-task"));
}

#[test]
fn no_root_is_a_usage_error_and_a_path_needs_none() {
    let root = root();
    let nowhere = tempfile::tempdir().unwrap();
    let run = |task: &str| {
        let mut command = speedgate(nowhere.path());
        command.env_remove("SPEEDGATE_ROOT").args(["practice", task, "--step", "x"]).assert()
    };
    run("tiny").code(USAGE).stderr(contains("kernels"));
    let path = root.path().join("kernels/tiny");
    run(path.to_str().unwrap()).code(USAGE).stderr(contains("no step `x`"));
}

#[test]
fn a_failed_grading_leaves_reward_zero_and_no_result() {
    let root = root();
    for (args, code, says) in [
        (["tiny", "--step", "01", "--solution"].as_slice(), BAD_TASK, "calibrate tiny"),
        (&["nosuch", "--step", "01", "--solution"], USAGE, "nosuch"),
        (&["tiny", "--step", "x", "--solution"], USAGE, "01-add"),
        (
            &["tiny", "--step", "01", "--workspace", "gone", "--trust-workspace"],
            USAGE,
            "the workspace gone cannot be read",
        ),
    ] {
        let all = [&["grade", "--out", "o"], args].concat();
        fails(root.path(), &all, code, says);
        let out = root.path().join("o");
        assert_eq!(fs::read_to_string(out.join("reward.json")).unwrap(), "{\"reward\": 0}\n");
        assert_eq!(fs::read_to_string(out.join("reward.txt")).unwrap(), "0\n");
        assert!(!out.join("result.json").exists());
        fs::remove_dir_all(&out).unwrap();
    }
}

#[test]
fn a_damaged_calibration_is_a_bad_task() {
    let root = root();
    let baselines = root.path().join("baselines/tiny");
    fs::create_dir_all(&baselines).unwrap();
    fs::write(baselines.join("calibration.toml"), "[step.01-add]\ns_ref = 'x'\n").unwrap();
    let args = ["grade", "tiny", "--step", "01", "--solution", "--out", "o"];
    fails(root.path(), &args, BAD_TASK, "calibration.toml");
}

#[test]
fn an_unusable_output_folder_is_said_before_anything_else() {
    let root = root();
    fs::write(root.path().join("file"), "").unwrap();
    let args = ["grade", "nosuch", "--step", "01", "--solution", "--out", "file/o"];
    fails(root.path(), &args, USAGE, "can't write `file/o`");
}

#[test]
fn list_tells_the_state_of_each_step() {
    let root = root();
    fs::create_dir_all(root.path().join("baselines/tiny/01-add")).unwrap();
    let out = speedgate(root.path()).args(["list", "--json"]).assert().success().stderr("");
    let list: serde_json::Value = serde_json::from_slice(&out.get_output().stdout).unwrap();
    let steps = &list["tasks"][0]["steps"];
    assert_eq!(list["tasks"][0]["name"], "tiny");
    assert_eq!((&steps[0]["id"], &steps[0]["state"]), (&"01-add".into(), &"not-calibrated".into()));
    assert_eq!((&steps[1]["id"], &steps[1]["state"]), (&"02-sub".into(), &"no-solution".into()));
    assert_eq!(steps[0]["functions"][0], "add");
    assert!(steps[0]["pass_at"].is_null());
    speedgate(root.path())
        .arg("list")
        .assert()
        .success()
        .stdout(contains("01-add").and(contains("\x1b").not()));
}

#[test]
fn workspace_writes_the_library_and_never_over_anything() {
    let root = root();
    speedgate(root.path())
        .args(["workspace", "tiny", "--out", "my"])
        .assert()
        .success()
        .stdout(contains("speedgate practice tiny --workspace my"));
    assert!(root.path().join("my/tiny.c").is_file());
    fails(root.path(), &["workspace", "tiny", "--out", "my"], USAGE, "my is not empty");
    fs::write(root.path().join("file"), "").unwrap();
    fails(root.path(), &["workspace", "tiny", "--out", "file"], USAGE, "file");
    fails(root.path(), &["workspace", "nosuch", "--out", "other"], USAGE, "nosuch");
    assert!(!root.path().join("other").exists());
}

#[test]
fn solution_writes_what_the_author_wrote() {
    let root = root();
    let files = root.path().join("baselines/tiny/01-add");
    fs::create_dir_all(&files).unwrap();
    fs::write(files.join("tiny.c"), "int faster;\n").unwrap();
    let write = ["solution", "tiny", "--out", "my", "--step"];
    speedgate(root.path())
        .args(write)
        .arg("01")
        .assert()
        .success()
        .stdout(contains("speedgate practice tiny --step 01-add --workspace my"));
    assert_eq!(fs::read_to_string(root.path().join("my/tiny.c")).unwrap(), "int faster;\n");
    fails(root.path(), &["solution", "tiny", "--out", "o", "--step", "02"], BAD_TASK, "02-sub");
    fails(root.path(), &["solution", "tiny", "--out", "o", "--step", "x"], USAGE, "01-add");
    assert!(!root.path().join("o").exists());
}

#[test]
fn lint_finds_what_a_valid_manifest_gets_wrong() {
    let root = root();
    speedgate(root.path())
        .args(["lint", "tiny"])
        .assert()
        .code(BAD_TASK)
        .stdout(contains("error").and(contains("\x1b").not()));
    let json = speedgate(root.path()).args(["lint", "tiny", "--json"]).output().unwrap().stdout;
    let found: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(found[0]["severity"], "error");
}

/// What a calibration knows of times, `lint` uses: a unit that is too short, and not its neighbour.
#[test]
fn lint_asks_for_longer_units() {
    let root = root();
    let baselines = root.path().join("baselines/tiny");
    fs::create_dir_all(&baselines).unwrap();
    let marks = "[step.01-add]\ns_ref = 2.0\ns_ref_interval = [1.9, 2.1]\npass_at = 1.9\n\
                 replays = 10\nspread = 0.01\nguard = 0.01\ns = []\nleads = []\ncpu = \"x\"\ncompiler = \"x\"\nflags = []\n\
                 engine = \"x\"\ndate = \"x\"\nreference_ns = { \"add/one\" = 3.5, \"add/all\" = 35.0 }\n";
    fs::write(baselines.join("calibration.toml"), marks).unwrap();
    let out = speedgate(root.path()).args(["lint", "tiny"]).output().unwrap().stdout;
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("add/one") && text.contains("a bulk entry"), "{text}");
    assert!(!text.contains("add/all"), "{text}");
}

#[test]
fn doctor_answers_for_people_and_programs() {
    let root = root();
    let out = speedgate(root.path()).args(["doctor", "--json"]).assert().success();
    let found: serde_json::Value = serde_json::from_slice(&out.get_output().stdout).unwrap();
    assert!(found["machine"]["cores"].as_u64().unwrap() >= 1);
    assert!(!found["capabilities"].as_array().unwrap().is_empty());
    speedgate(root.path()).arg("doctor").assert().success().stdout(contains("cores"));
}
