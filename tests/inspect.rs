//! `check --sanitize`, `check --ctgrind`, and times of secrets: what they find in code that is wrong
//! or leaks, and that they find nothing in code that does not.

mod support;

use std::path::Path;

use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use speedgate::report::record::{Outcome, Record};
use support::{Base, Bench, alone, record, together};

const MANIFEST: &str = r#"
[task]
name = "vault"
title = "Functions with secrets"

[source]
tree = "src"

[build]
lang = "c"
flags = ["-O2"]
sources = ["*.c"]
editable = ["*.c"]

[limits]
growth_mb = 32 # one of the submissions has a large table

[[step]]
id = "01-all"
functions = ["equal", "hide", "pick"]

[function.equal]
c = "int32_t vault_equal(const uint8_t *a, const uint8_t *b, size_t n)"
draw = { n = { from = 0, to = 80 } }
args = { a = { in = "n", fill = { int = [0, 1] } }, b = { in = "n", fill = { int = [0, 1] } } }
secret = ["a"]
constant_time = true
profile.any = { weight = 1, n = 64 }

[function.hide]
c = "void vault_hide(const uint8_t *key, uint8_t *out, size_t n)"
draw = { n = { from = 0, to = 80 } }
args = { key = { in = "n" }, out = { out = "n" } }
secret = ["key"]
profile.any = { weight = 1, n = 64 }

[function.pick]
c = "uint32_t vault_pick(const uint8_t *key)"
args = { key = { in = 32 } }
secret = ["key"]
profile.any = { weight = 1 }
"#;

const HEADER: &str = "#include <stddef.h>\n#include <stdint.h>
int32_t vault_equal(const uint8_t *a, const uint8_t *b, size_t n);
void vault_hide(const uint8_t *key, uint8_t *out, size_t n);
uint32_t vault_pick(const uint8_t *key);
";

const EQUAL: &str = "#include \"vault.h\"
int32_t vault_equal(const uint8_t *a, const uint8_t *b, size_t n)
{
    uint32_t d = 0;
    for (size_t i = 0; i < n; i++)
        d |= a[i] ^ b[i];
    return (int32_t)((d - 1) >> 31);
}
";

const HIDE: &str = "#include \"vault.h\"
void vault_hide(const uint8_t *key, uint8_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)(key[i] * 7 + 1);
}
";

const PICK: &str = "#include \"vault.h\"
uint32_t vault_pick(const uint8_t *key)
{
    uint32_t x = 1;
    for (int i = 0; i < 256; i++)
        x = x * 3 + ((key[i / 8] >> i % 8 & 1) * 5);
    return x;
}
";

/// A workspace in which one file is another one.
fn vault(changed: &[(&str, &str)]) -> Bench {
    let bench = Bench::with(Base::Pristine);
    let write = |dir: &Path, name: &str, text: &str| {
        std::fs::create_dir_all(dir).unwrap();
        std::fs::write(dir.join(name), text).unwrap();
    };
    let task = bench.root().join("kernels/vault");
    write(&task, "task.toml", MANIFEST);
    write(&task.join("include"), "vault.h", HEADER);
    std::fs::remove_dir_all(bench.workspace()).unwrap();
    for dir in [task.join("src"), bench.workspace()] {
        write(&dir, "equal.c", EQUAL);
        write(&dir, "hide.c", HIDE);
        write(&dir, "pick.c", PICK);
    }
    changed.iter().for_each(|(name, text)| write(&bench.workspace(), name, text));
    bench
}

/// What a tool found, function by function: the case and the report.
fn found(bench: &Bench, tool: &str) -> Vec<Option<(String, String)>> {
    let workspace = bench.workspace();
    let mut command = bench.speedgate();
    command.args(["check", "vault", tool, "--json", "--workspace"]).arg(workspace);
    let done = command.assert().code(0);
    let answer: Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
    assert_eq!(answer["schema"], "speedgate.inspection/1");
    let functions = answer["functions"].as_array().unwrap();
    let text = |v: &Value| v.as_str().unwrap().to_owned();
    functions
        .iter()
        .map(|f| f["finding"].as_object().map(|f| (text(&f["case"]), text(&f["report"]))))
        .collect()
}

/// Whether a tool that is not there was named together with its package.
fn missing(bench: &Bench) -> bool {
    if Path::new("/usr/bin/valgrind").is_file() || Path::new("/usr/local/bin/valgrind").is_file() {
        return false;
    }
    let mut command = bench.speedgate();
    command.args(["check", "vault", "--ctgrind", "--workspace"]).arg(bench.workspace());
    command.assert().code(4).stderr(contains("apt-get install valgrind"));
    true
}

#[test]
fn sanitizers_name_the_line_and_the_case_can_be_replayed() {
    let _turn = together();
    // Reads beside the buffer where the gate's guard page is not, and shifts by too much: neither
    // changes an output.
    let equal = EQUAL.replace(
        "uint32_t d = 0;",
        "uint32_t d = 0;\n    d = n > 4 && *(const volatile uint8_t *)(a + n) > 300;",
    );
    let hide = HIDE.replace("* 7 + 1", "* 7 + 1 + 0 * ((int32_t)n << (n + 8))");
    let bench = vault(&[("equal.c", &equal), ("hide.c", &hide)]);
    let all = found(&bench, "--sanitize");
    let (case, report) = all[0].as_ref().expect("a read beside the buffer");
    assert!(report.contains("AddressSanitizer") && report.contains("equal.c:5"), "{report}");
    let (_, shift) = all[1].as_ref().expect("a shift by too much");
    let says = |words: &str| shift.contains(words);
    assert!(says("hide.c:5") && says("runtime error") && says("shift"), "{shift}");
    bench
        .speedgate()
        .args(["check", "vault", "--sanitize", "--replay", case, "--require-pass", "--workspace"])
        .arg(bench.workspace())
        .assert()
        .code(1)
        .stdout(contains("equal.c:5").and(contains("no verdict")));
}

#[test]
fn sanitizers_find_nothing_in_what_is_right() {
    let _turn = together();
    assert_eq!(found(&vault(&[]), "--sanitize"), [None, None, None]);
}

#[test]
fn memcheck_follows_secrets_into_branches_and_addresses() {
    let _turn = together();
    let early = EQUAL
        .replace("d |= a[i] ^ b[i];", "if (a[i] != b[i]) return 0;")
        .replace("return (int32_t)((d - 1) >> 31);", "return 1 + (int32_t)d;");
    let table = "#include \"vault.h\"
static uint8_t table[256];
void vault_hide(const uint8_t *key, uint8_t *out, size_t n)
{
    for (int i = 0; i < 256; i++)
        table[i] = (uint8_t)(i * 7 + 1);
    for (size_t i = 0; i < n; i++)
        out[i] = table[key[i]];
}
";
    let bench = vault(&[("equal.c", &early), ("hide.c", table)]);
    if missing(&bench) {
        return;
    }
    let all = found(&bench, "--ctgrind");
    let (_, branch) = all[0].as_ref().expect("a branch");
    assert!(branch.contains("Conditional jump") && branch.contains("equal.c:6"), "{branch}");
    let (_, index) = all[1].as_ref().expect("an address");
    assert!(index.contains("Use of uninitialised value") && index.contains("hide.c:8"), "{index}");
}

#[test]
fn memcheck_accuses_no_constant_time_code_and_no_public_branch() {
    let _turn = together();
    // A branch on what is public, and memory that was never written: neither is a secret.
    let equal = EQUAL.replace(
        "uint32_t d = 0;",
        "uint32_t d = 0;\n    volatile uint8_t never[4];\n    if (n && b[0] == 77 && never[1]) return 0;",
    );
    let bench = vault(&[("equal.c", &equal)]);
    if missing(&bench) {
        return;
    }
    assert_eq!(found(&bench, "--ctgrind"), [None, None, None]);
}

#[test]
fn a_task_without_secrets_has_nothing_to_follow() {
    let _turn = together();
    let bench = Bench::with(Base::Pristine);
    if missing(&bench) {
        return;
    }
    let mut command = bench.speedgate();
    command.args(["check", "toy", "--ctgrind", "--workspace"]).arg(bench.workspace());
    command.assert().code(2).stderr(contains("declares a `secret` buffer"));
}

/// Practice on a workspace of the task.
fn practised(bench: &Bench) -> Record {
    let mut command = bench.speedgate();
    command.args(["practice", "vault", "--json", "--workspace"]).arg(bench.workspace());
    record(&command.assert().code(0).get_output().stdout)
}

#[test]
fn a_comparison_that_stops_at_the_first_difference_fails_where_that_is_asked() {
    let _turn = alone();
    let early = EQUAL
        .replace("d |= a[i] ^ b[i];", "if (a[i] != b[i]) return 0;")
        .replace("return (int32_t)((d - 1) >> 31);", "return 1 + (int32_t)d;");
    let found = practised(&vault(&[("equal.c", &early)]));
    assert_eq!(found.outcome, Outcome::LeaksSecret, "{}", found.message);
    assert_eq!(found.correct, Some(false));
    assert!(found.message.contains("its time depends on `a`"), "{}", found.message);
    let leak = found.functions[0].leak.expect("it was looked at");
    // The fixed secret is the one that equals the other side: it takes longer.
    assert!(leak.leaks && leak.required && leak.t > leak.bound, "{leak:?}");
    assert_eq!(leak.reference_leaks, Some(false));
}

#[test]
fn tables_and_branches_are_told_and_constant_time_code_is_not_accused() {
    let _turn = alone();
    // Random secrets find other places of the table than the fixed one, which is in the cache.
    let table = "#include \"vault.h\"
static uint8_t table[1 << 24];
void vault_hide(const uint8_t *key, uint8_t *out, size_t n)
{
    // Pages of its own: unwritten ones are all the same memory.
    for (size_t i = 0; !table[0] && i < sizeof table; i++)
        table[sizeof table - 1 - i] = 1;
    for (size_t i = 0; i < n; i++) {
        size_t place = key[i] * 65536u + (i + 1 < n ? key[i + 1] * 256u : 0);
        out[i] = (uint8_t)(key[i] * 7 + table[place]);
    }
}
";
    let branch = PICK.replace(
        "x = x * 3 + ((key[i / 8] >> i % 8 & 1) * 5);",
        "{ x *= 3; if (key[i / 8] >> i % 8 & 1) { __asm__ volatile(\"\"); x += 5; } }",
    );
    let found = practised(&vault(&[("hide.c", table), ("pick.c", &branch)]));
    let leaks: Vec<_> = found.functions.iter().map(|f| f.leak.expect("looked at")).collect();
    assert_ne!(found.outcome, Outcome::LeaksSecret, "{}: {leaks:?}", found.message);
    assert!(!leaks[0].leaks, "{leaks:?}");
    assert!(leaks[1].leaks && !leaks[1].required, "{leaks:?}");
    assert!(leaks[2].leaks && leaks[2].reference_leaks == Some(false), "{leaks:?}");
}
