//! Functions whose right outputs need not be those of the reference bit for bit, through the built
//! binary.

mod support;

use std::fs;
use std::path::Path;

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use speedgate::report::record::{Against, Outcome, Record};
use support::{Bench, alone, record, together};

const TASK: &str = r#"
[task]
name = "near"
title = "near: outputs with a tolerance"
[source]
tree = "src"
[build]
lang = "c"
flags = ["-std=gnu11", "-O2"]
sources = ["*.c"]
editable = ["*.c"]
[limits]
timing_seconds = 1
memory_mb = 64
noise = 1.0
[[step]]
id = "01-all"
functions = ["soft", "dot", "residue"]
[function.soft]
c = "void near_soft(const float *x, float *y, size_t n)"
draw = { n = { from = 0, to = 100 } }
args.x = { in = "n", fill = { float = [0.01, 100] } }
args.y = { out = "n", same = { rel = 0.01 } }
exact = "soft_exact"
profile.any = { n = 4000 }
[function.dot]
c = "float near_dot(const float *x, const float *y, size_t n)"
draw = { n = { from = 0, to = 100 } }
args.x = { in = "n", fill = { float = [0, 1] } }
args.y = { in = "n", fill = { float = [0, 1] } }
ret = { rel = 1e-4 }
profile.any = { n = 4000 }
[function.residue]
c = "void near_residue(int16_t *r, size_t n)"
draw = { n = { from = 0, to = 100 } }
args.r = { inout = "n", fill = { int = [-3328, 3328] }, same = { mod = 3329, within = [-3329, 3329] } }
profile.any = { n = 4000 }
"#;

const HEADER: &str = "#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n";

const PRISTINE: &str = r#"
void near_soft(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = (float)(log1p((double)x[i]) / x[i]);
}
/* A correlation: a single product would take less than committing to its input. */
float near_dot(const float *x, const float *y, size_t n)
{
    float total = 0;
    for (size_t turn = 0; turn < 16; turn++) {
        float sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += x[i] * y[(i + turn) % n];
        total += sum;
    }
    return total;
}
void near_residue(int16_t *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        r[i] = (int16_t)(17 * r[i] % 3329);
}
"#;

const EXACT: &str = r#"
void soft_exact(const float *x, double *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = log1p((double)x[i]) / x[i];
}
"#;

/// Other sums, other residues, and logarithms with half of the digits.
const HONEST: &str = r#"
void near_soft(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = log1pf(x[i]) / x[i] * 1.001f;
}
static float dot(const float *x, const float *y, size_t n)
{
    float a = 0, b = 0;
    size_t i = 0;
    for (; i + 2 <= n; i += 2) {
        a += x[i] * y[i];
        b += x[i + 1] * y[i + 1];
    }
    return a + b + (i < n ? x[i] * y[i] : 0);
}
float near_dot(const float *x, const float *y, size_t n)
{
    float total = 0;
    for (size_t turn = 0; n && turn < 16; turn++) {
        size_t by = turn % n;
        total += dot(x, y + by, n - by) + dot(x + n - by, y, by);
    }
    return total;
}
void near_residue(int16_t *r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int right = 17 * r[i] % 3329;
        r[i] = (int16_t)(right < 0 ? right + 3329 : right);
    }
}
"#;

/// Marks of another processor.
const ELSEWHERE: &str = r#"
[step.01-all]
s_ref = 2.0
s_ref_interval = [2.0, 2.0]
pass_at = 2.0
replays = 10
spread = 0.0
guard = 0.1
s = [2.0]
leads = [1.0]
cpu = "another"
compiler = "gcc"
flags = []
engine = "0.1.0"
date = "2026-01-02T03:04:05Z"
"#;

/// A bench with the task, and a workspace of this text.
fn bench(text: &str) -> Bench {
    let bench = Bench::new();
    let task = bench.root().join("kernels/near");
    let put = |path: &Path, name: &str, text: &str| {
        fs::create_dir_all(path).unwrap();
        fs::write(path.join(name), text).unwrap();
    };
    put(&task, "task.toml", TASK);
    put(&task.join("src"), "near.c", &format!("{HEADER}{PRISTINE}"));
    put(&task.join("gen"), "soft_exact.c", &format!("{HEADER}{EXACT}"));
    put(
        &task.join("steps/01-all"),
        "instruction.md",
        "Make near_soft, near_dot, near_residue fast.",
    );
    put(&bench.workspace(), "near.c", &format!("{HEADER}{text}"));
    bench
}

fn answered(bench: &Bench, command: &str) -> Record {
    let done = bench.speedgate().args([command, "near", "--workspace", "my", "--json"]).assert();
    record(&done.code(0).get_output().stdout)
}

/// What a loose bound lets through is in the report, beside the reference's own errors.
#[test]
fn an_approximation_within_a_loose_bound_is_seen() {
    let _turn = together();
    let bench = bench(HONEST);
    let found = answered(&bench, "check");
    assert_eq!(found.outcome, Outcome::Pass, "{}", found.message);
    let soft = &found.functions[0].errors[0];
    assert_eq!((soft.output.as_str(), soft.against), ("y", Against::Exact));
    let reference = soft.reference.unwrap();
    assert!(reference.max_ulp <= 0.5001, "{reference:?}");
    assert!(soft.candidate.mean_ulp > 1000.0 * reference.mean_ulp, "{soft:?}");
    assert!(soft.candidate.bias_ulp > 1000.0 && soft.candidate.differing > 0.99, "{soft:?}");
    let dot = &found.functions[1].errors[0];
    assert_eq!((dot.output.as_str(), dot.against), ("return value", Against::Reference));
    assert!(dot.candidate.max_ulp < 100.0, "{dot:?}");
    assert!(found.functions[2].errors.is_empty(), "residues have no distance");
    let shown = bench.speedgate().args(["check", "near", "--workspace", "my"]).assert();
    shown.stdout(
        contains("errors of `y` against exact values").and(contains("the candidate's mean is")),
    );
}

/// The timer looks at the outputs, since their digests are not the oracle's.
#[test]
fn right_outputs_of_timed_calls_need_not_be_equal_bit_for_bit() {
    let _turn = alone();
    let found = answered(&bench(HONEST), "practice");
    assert_eq!(found.outcome, Outcome::Pass, "{}", found.message);
    assert!(found.functions.iter().all(|f| f.speedup.is_some()));
}

/// Nor need those of a reference solution that takes the reference's place.
#[test]
fn a_solution_with_other_bits_can_be_timed_against() {
    let _turn = alone();
    let bench = bench(HONEST);
    let solution = bench.root().join("baselines/near/01-all");
    fs::create_dir_all(&solution).unwrap();
    fs::write(solution.join("near.c"), format!("{HEADER}{HONEST}")).unwrap();
    fs::write(bench.root().join("baselines/near/calibration.toml"), ELSEWHERE).unwrap();
    let args = ["practice", "near", "--step", "01", "--workspace", "my", "--json"];
    let found = record(&bench.speedgate().args(args).assert().code(0).get_output().stdout);
    let live = found.live_marks.unwrap_or_else(|| panic!("{}", found.message));
    let names: Vec<&str> = live.functions.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["soft", "dot", "residue"]);
    // Which of the two comes out a little faster is chance.
    assert!(matches!(found.outcome, Outcome::Pass | Outcome::TooSlow), "{}", found.message);
}

/// Right in the gate, which makes few calls of that size, and wrong when it is timed.
#[test]
fn wrong_outputs_of_timed_calls_are_found_within_the_tolerance_of_others() {
    let _turn = alone();
    let late = HONEST.replace(
        "    return a + b + (i",
        "    static int calls;\n    if (n > 3900 && ++calls > 48) return a;\n    return a + b + (i",
    );
    assert_ne!(late, HONEST);
    let found = answered(&bench(&late), "practice");
    assert_eq!(found.outcome, Outcome::WrongOutput, "{}", found.message);
    assert!(
        found.message.contains("in a timed call") && found.message.contains("ULP apart"),
        "{}",
        found.message
    );
}
