//! A library in Rust, through the built binary: what is right passes, what is wrong in one rare
//! class of inputs does not, and nothing smuggled in beside the code counts.

mod support;

use std::fs;
use std::path::Path;

use speedgate::report::record::{Outcome, Record};
use support::{Bench, record, together};

const TASK: &str = r#"
[task]
name = "crab"
title = "crab: a library in Rust"
[source]
tree = "src"
[build]
lang = "rust"
flags = ["-Copt-level=3"]
editable = ["src/sum.rs", "src/fast/**"]
[limits]
memory_mb = 128
[[step]]
id = "01-sum"
functions = ["sum"]
[function.sum]
c = "uint32_t crab_sum(const uint32_t *in, size_t n)"
draw = { n = { from = 0, to = 200 } }
args.in = { in = "n", fill = [{ gen = "evens", bound = 100 }, "bytes"] }
profile.any = { n = 4000 }
"#;

const MANIFEST: &str = "[package]\nname = \"crab\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
    [lib]\ncrate-type = [\"staticlib\"]\n[workspace]\n";

const LOCK: &str = "version = 4\n\n[[package]]\nname = \"crab\"\nversion = \"0.1.0\"\n";

const SHIM: &str = "mod sum;\n\n#[unsafe(no_mangle)]\n\
    pub unsafe extern \"C\" fn crab_sum(numbers: *const u32, n: usize) -> u32 {\n    \
    // SAFETY: there are n numbers.\n    \
    sum::sum(unsafe { std::slice::from_raw_parts(numbers, n) })\n}\n";

const PRISTINE: &str = "pub fn sum(numbers: &[u32]) -> u32 {\n    numbers.iter().fold(0, |sum, x| sum.wrapping_add(*x))\n}\n";

/// A generator in C works beside a library in Rust.
const GENERATOR: &str = "#include <stddef.h>\n#include <stdint.h>\n\
    void gen_evens(uint64_t seed, uint32_t *out, size_t len, const double *bound)\n{\n    \
    for (size_t i = 0; i < len; i++)\n        \
    out[i] = 2 * (uint32_t)((seed >> 7 ^ i * 2654435761) % (uint64_t)bound[0]);\n}\n";

/// Two sums at a time, in a module of its own.
const HONEST: &str = "#[path = \"fast/two.rs\"]\nmod two;\npub use two::sum;\n";
const TWO: &str = "pub fn sum(numbers: &[u32]) -> u32 {\n    \
    let (pairs, rest) = numbers.as_chunks::<2>();\n    \
    let both = pairs.iter().fold([0_u32; 2], |[a, b], [x, y]| [a.wrapping_add(*x), b.wrapping_add(*y)]);\n    \
    let both = both[0].wrapping_add(both[1]);\n    \
    rest.iter().fold(both, |sum, x| sum.wrapping_add(*x))\n}\n";

/// A bench with the task, and a workspace with these files in it.
fn bench(files: &[(&str, &str)]) -> Bench {
    let bench = Bench::new();
    let task = bench.root().join("kernels/crab");
    let put = |path: &Path, text: &str| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put(&task.join("task.toml"), TASK);
    put(&task.join("gen/evens.c"), GENERATOR);
    put(&task.join("steps/01-sum/instruction.md"), "Make crab_sum fast.");
    for (name, text) in [
        ("Cargo.toml", MANIFEST),
        ("Cargo.lock", LOCK),
        ("src/lib.rs", SHIM),
        ("src/sum.rs", PRISTINE),
    ] {
        put(&task.join("src").join(name), text);
        put(&bench.workspace().join(name), text);
    }
    files.iter().for_each(|(name, text)| put(&bench.workspace().join(name), text));
    bench
}

fn checked(files: &[(&str, &str)]) -> Record {
    let bench = bench(files);
    let done = bench.speedgate().args(["check", "crab", "--workspace", "my", "--json"]).assert();
    record(&done.code(0).get_output().stdout)
}

#[test]
fn an_honest_library_passes_and_a_smuggled_build_script_never_runs() {
    let _turn = together();
    let found = checked(&[
        ("src/sum.rs", HONEST),
        ("src/fast/two.rs", TWO),
        ("build.rs", "fn main() { println!(\"cargo::rustc-cfg=smuggled\"); panic!() }"),
        ("Cargo.toml", &format!("{MANIFEST}[profile.release]\ndebug-assertions = true\n")),
    ]);
    assert_eq!(found.outcome, Outcome::Pass, "{}", found.message);
    assert!(found.functions[0].checked_calls > 100);
    for ignored in ["build.rs (not editable)", "Cargo.toml (changed, not editable)"] {
        assert!(
            found.ignored_edits.iter().any(|line| line == ignored),
            "{:?}",
            found.ignored_edits
        );
    }
}

#[test]
fn a_rare_class_that_is_wrong_is_shown_as_small_as_it_can_be() {
    let _turn = together();
    let rare = TWO.replace("let (pairs", "if numbers.len() == 63 { return 0 }\n    let (pairs");
    let found = checked(&[("src/sum.rs", HONEST), ("src/fast/two.rs", &rare)]);
    assert_eq!(found.outcome, Outcome::WrongOutput, "{}", found.message);
    let failure = found.failure.as_ref().expect("it is shown");
    assert!(format!("{failure:?}").contains("63"), "{failure:?}");
}

#[test]
fn a_panic_ends_the_worker_and_not_the_grader() {
    let _turn = together();
    let panics = "pub fn sum(numbers: &[u32]) -> u32 { numbers[numbers.len()] }\n";
    let found = checked(&[("src/sum.rs", panics)]);
    assert!(
        matches!(found.outcome, Outcome::Crashed | Outcome::Exited | Outcome::ForbiddenSyscall),
        "{:?}: {}",
        found.outcome,
        found.message
    );
}

#[test]
fn what_must_not_be_loaded_is_rejected() {
    let _turn = together();
    for (head, what) in [
        ("core::arch::global_asm!(\"nop\");", "global_asm"),
        ("pub static X: &[u8] = include_bytes!(\"/usr/bin/env\");", "/usr/bin/env"),
        (
            "#[used]\n#[unsafe(link_section = \".init_array\")]\nstatic A: extern \"C\" fn() = a;\n\
             extern \"C\" fn a() {}",
            "run when the library is loaded",
        ),
    ] {
        let found = checked(&[("src/sum.rs", &format!("{head}\n{PRISTINE}"))]);
        let refused = [Outcome::AuditRejected, Outcome::BuildFailed];
        assert!(refused.contains(&found.outcome), "{head}: {:?}", found.outcome);
        let log = found.failure.and_then(|failure| failure.log).unwrap_or_default();
        assert!(log.contains(what), "{head}: {log}");
    }
}

/// What there is no build for is said, as a mistake in the command and not in the engine.
#[test]
fn sanitizers_are_not_to_be_had() {
    let _turn = together();
    let bench = bench(&[]);
    let args = ["check", "crab", "--workspace", "my", "--sanitize"];
    let done = bench.speedgate().args(args).assert().code(2);
    done.stderr(predicates::str::contains("libraries in Rust can't be built for sanitizers"));
}
