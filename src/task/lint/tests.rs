use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::{Severity, lint};
use crate::task::Task;

const MANIFEST: &str = r#"
[task]
name = "t"
title = "A task"
[source]
tree = "src"
[build]
lang = "c"
sources = ["*.c"]
editable = ["*.c"]
[limits]
memory_mb = 64
[[step]]
id = "01-a"
functions = ["f"]
[function.f]
c = "int t_f(const uint8_t *in, size_t n, uint8_t *out, ptrdiff_t stride)"
draw = { n = { from = 0, to = 64 }, pad = [0, 8] }
args.stride = "n + pad"
args.in = { in = ["n", "n"], stride = "stride" }
args.out = { out = "n", used = "ret" }
profile.p = { n = 64 }
"#;

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A task without findings, with its manifest edited.
fn task(from: &str, to: &str) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    assert!(MANIFEST.contains(from));
    write(root.path(), "kernels/t/task.toml", &MANIFEST.replacen(from, to, 1));
    write(root.path(), "kernels/t/src/f.c", "");
    write(root.path(), "kernels/t/include/t.h", "int t_f(…);");
    write(root.path(), "kernels/t/steps/01-a/instruction.md", "Make `f` faster.");
    write(root.path(), "baselines/t/01-a/f.c", "");
    write(root.path(), "baselines/t/calibration.toml", "");
    root
}

fn found(root: &TempDir) -> Vec<String> {
    let task = Task::load(&root.path().join("kernels/t")).unwrap();
    lint(&task)
        .into_iter()
        .map(|f| format!("{:?} {}: {}", f.severity, f.place, f.message))
        .collect()
}

#[test]
fn a_complete_task_has_no_findings() {
    assert_eq!(found(&task("", "")), [""; 0]);
}

#[test]
fn missing_files_are_found() {
    for (path, says) in [
        ("kernels/t/steps/01-a/instruction.md", "Error steps/01-a/instruction.md: the step has no"),
        ("baselines/t/01-a/f.c", "Error baselines/t/01-a: the step has no reference solution"),
        ("baselines/t/calibration.toml", "Warning calibration.toml: the task is not calibrated"),
        ("kernels/t/include/t.h", "Warning include/: there is no header"),
        ("kernels/t/src/f.c", "Error [build]: `sources` match no file"),
    ] {
        let root = task("", "");
        fs::remove_file(root.path().join(path)).unwrap();
        let found = found(&root);
        assert!(found.iter().any(|f| f.starts_with(says)), "{path}: {found:?}");
    }
}

#[test]
fn an_instruction_names_what_is_scored() {
    let root = task("", "");
    write(root.path(), "kernels/t/steps/01-a/instruction.md", "Make t_f2 and ff faster.");
    assert_eq!(
        found(&root),
        ["Error steps/01-a/instruction.md: scored function `f` is not mentioned"]
    );
    write(root.path(), "kernels/t/steps/01-a/instruction.md", "Make t_f faster.");
    assert_eq!(found(&root), [""; 0]);
}

#[test]
fn draws_that_lead_astray_are_found() {
    for (from, to, says) in [
        (
            "out = \"n\"",
            "out = \"n - 1\"",
            "the size of `out` is -1 with n = 0, pad = 0, stride = 0",
        ),
        ("\"n + pad\"", "\"n + pad - 1\"", "the stride of `in` is -1 with"),
        ("pad = [0, 8]", "pad = [-1, 0]", "the stride of `in` is"),
        ("out = \"n\"", "out = \"64 / n\"", "the size of `out`: division by zero, with n = 0"),
        ("size_t n", "uint8_t n", ""),
        (
            "from = 0, to = 64",
            "from = 0, to = 5000",
            "its buffers take 23 MiB, the worker may use 64",
        ),
        ("size_t n", "bool n", "argument `n` is 64, which `bool` can't hold"),
        (
            "profile.p",
            "alias = [[\"out\", \"in\"]]\nprofile.p",
            "`out` of 64 bytes and `in` of 4096 are to be the same memory",
        ),
        ("pad = [0, 8]", "pad = [0, 8], x = [1]", "draw `x` is never used"),
        ("profile.p = { n = 64 }", "profile.p = { n = 4096 }", "its buffers take 16 MiB"),
    ] {
        let found = found(&task(from, to));
        match says {
            "" => assert_eq!(found, [""; 0], "{to}"),
            _ => assert!(found.iter().any(|f| f.contains(says)), "{to}: {found:?}"),
        }
    }
}

#[test]
fn a_function_that_nothing_compares_is_found() {
    let root = task("used = \"ret\" }", "same = \"ignore\" }\nret = \"ignore\"");
    let task = Task::load(&root.path().join("kernels/t")).unwrap();
    let findings = lint(&task);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].severity, Severity::Error);
    assert_eq!(findings[0].place, "function f");
}
