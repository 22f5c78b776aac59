//! Libraries that are set up from files, and units with states that are prepared outside the clock,
//! through the built binary.

mod support;

use std::fs;
use std::path::Path;

use speedgate::report::record::{Outcome, Record};
use support::{Bench, alone, record, together};

const TASK: &str = r#"
[task]
name = "cipher"
title = "cipher: a table from a file, a key, a stream"
[source]
tree = "src"
[setup]
call = "cipher_setup"
data = "data"
budget = 20
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
functions = ["mix"]
[function.mix]
c = ["void cipher_key(uint32_t *k, const uint8_t *key, int rounds)", "void cipher_mix(const uint32_t *k, const uint8_t *in, uint8_t *out, size_t n, uint8_t salt)"]
draw = { n = { from = 0, to = 200 }, rounds = [1, 7], salt = { from = 0, to = 255 } }
args.k = { state = 1024, make = "cipher_key(k, key, rounds)", budget = 4 }
args.key = { in = 16 }
args.in = { in = "n" }
args.out = { out = "n" }
profile.page = { n = 4096, rounds = 7 }
"#;

const PRISTINE: &str = r#"
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uint8_t table[256];
static char folder[4096];
static int left_open = -1;

int cipher_setup(const char *data)
{
    char name[4200];
    snprintf(folder, sizeof folder, "%s", data);
    snprintf(name, sizeof name, "%s/deep/table.bin", data);
    FILE *file = fopen(name, "rb");
    if (!file)
        return errno;
    size_t count = fread(table, 1, sizeof table, file);
    fclose(file);
    left_open = open(name, O_RDONLY);
    return count == sizeof table && left_open >= 0 ? 0 : -1;
}

void cipher_key(uint32_t *k, const uint8_t *key, int rounds)
{
    for (int i = 0; i < 256; i++)
        k[i] += key[i % 16] * 0x9E3779B9u;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < 256; i++)
            k[i] = k[i] * 5 + k[(i + 1) % 256] + table[k[i] >> 24];
}

void cipher_mix(const uint32_t *k, const uint8_t *in, uint8_t *out, size_t n, uint8_t salt)
{
    /* CALL */
    for (size_t i = 0; i < n; i++)
        out[i] = table[in[i] ^ (uint8_t)(k[i % 256] >> 11)] ^ salt;
}
"#;

/// What a call tries that only the set-up may do. Where it gets through, the output is wrong.
const READS_AGAIN: &str = r#"
    {
    char name[4200], byte;
    snprintf(name, sizeof name, "%s/deep/table.bin", folder);
    if (open(name, O_RDONLY) >= 0 || read(left_open, &byte, 1) == 1) {
        memset(out, 0, n);
        return;
    }
    }
"#;

/// A bench with the task, and a workspace of this text.
fn bench(text: &str) -> Bench {
    let bench = Bench::new();
    let task = bench.root().join("kernels/cipher");
    let put = |path: &Path, name: &str, text: &[u8]| {
        fs::create_dir_all(path).unwrap();
        fs::write(path.join(name), text).unwrap();
    };
    put(&task, "task.toml", TASK.as_bytes());
    put(&task.join("src"), "cipher.c", PRISTINE.as_bytes());
    let table: Vec<u8> = (0..=255u8).map(|i| i.wrapping_mul(167).wrapping_add(13)).collect();
    put(&task.join("data/deep"), "table.bin", &table);
    put(&task.join("steps/01-all"), "instruction.md", b"Make cipher_mix (mix) fast.");
    put(&bench.workspace(), "cipher.c", text.as_bytes());
    bench
}

fn answered(text: &str, command: &str) -> Record {
    let bench = bench(text);
    let done = bench.speedgate().args([command, "cipher", "--workspace", "my", "--json"]).assert();
    record(&done.code(0).get_output().stdout)
}

fn changed(from: &str, to: &str) -> String {
    assert!(PRISTINE.contains(from));
    PRISTINE.replace(from, to)
}

/// The table comes from a file, the state from the library, and both are as fresh in each call.
#[test]
fn files_and_states_are_there_when_they_are_needed() {
    let _turn = together();
    let found = answered(PRISTINE, "check");
    assert_eq!(found.outcome, Outcome::Pass, "{}", found.message);
    assert!(found.functions[0].checked_calls > 100);
}

/// Neither by its name nor through a descriptor that was kept.
#[test]
fn files_can_only_be_read_while_the_library_is_set_up() {
    let _turn = together();
    let found = answered(&changed("    /* CALL */", READS_AGAIN), "check");
    assert_eq!(found.outcome, Outcome::Pass, "it read the file again: {}", found.message);
    // The same attempt where it is allowed: it would be seen.
    let early =
        READS_AGAIN.replace("memset(out, 0, n);\n        return;", "memset(table, 0, 256);");
    let early = changed("    return count ==", &format!("{early}    return count =="));
    let found = answered(&early, "check");
    assert_eq!(found.outcome, Outcome::WrongOutput, "{}", found.message);
}

#[test]
fn a_state_that_is_not_made_right_is_found_in_the_outputs() {
    let _turn = together();
    for (from, to) in [
        // The state is taken for what it was in the call before.
        (
            "k[i] += key[i % 16] * 0x9E3779B9u;",
            "{ static uint32_t last; k[i] += key[i % 16] * 0x9E3779B9u + (i == 255) * last++; }",
        ),
        ("r < rounds", "r < 1"),
        ("k[(i + 1) % 256]", "k[(i + 1) & 127]"),
    ] {
        let found = answered(&changed(from, to), "check");
        assert_eq!(found.outcome, Outcome::WrongOutput, "{from}: {}", found.message);
    }
}

#[test]
fn a_library_that_can_not_be_set_up_is_the_candidates_fault() {
    let _turn = together();
    let found = answered(&changed("table.bin\", data", "other.bin\", data"), "check");
    assert_eq!(found.outcome, Outcome::Crashed, "{}", found.message);
    assert!(found.message.contains("`cipher_setup` failed with 2"), "{}", found.message);
}

/// An honest one is timed; who takes many times as long before the clock starts is not.
#[test]
fn what_comes_before_the_clock_has_a_budget() {
    let _turn = alone();
    let found = answered(PRISTINE, "practice");
    assert_eq!(found.outcome, Outcome::Pass, "{}", found.message);
    let slow = changed(
        "    for (int r = 0; r < rounds; r++)",
        "    for (volatile int spin = 0; spin < 300000; spin++) {}\n    for (int r = 0; r < rounds; r++)",
    );
    let found = answered(&slow, "practice");
    assert_eq!(found.outcome, Outcome::SetupOverBudget, "{}", found.message);
    assert!(found.message.contains("the task's budget is 4"), "{}", found.message);
}

/// While a state is prepared the input of the call is not there to be read: whoever computes the
/// answers then, from what lies where the input will be, has those of another call.
#[test]
fn what_is_computed_ahead_is_another_calls() {
    let _turn = together();
    let ahead = PRISTINE
        .replace(
            "void cipher_key(",
            "static const uint8_t *where; static size_t many; static uint8_t ready[4096];\n\
             static void answer(const uint32_t *k, const uint8_t *in, uint8_t *out, size_t n)\n\
             { for (size_t i = 0; i < n; i++) out[i] = table[in[i] ^ (uint8_t)(k[i % 256] >> 11)]; }\n\
             void cipher_key(",
        )
        .replace(
            "table[k[i] >> 24];\n",
            "table[k[i] >> 24];\n    if (where && many < 4096) answer(k, where, ready, many);\n",
        )
        .replace(
            "    /* CALL */",
            "    if (where == in && many == n && n) {\n\
             for (size_t i = 0; i < n; i++) out[i] = ready[i] ^ salt;\nreturn;\n}\n\
             where = in; many = n;",
        );
    assert!(ahead.contains("if (where && many") && ahead.contains("where == in &&"));
    let found = answered(&ahead, "check");
    assert_eq!(found.outcome, Outcome::WrongOutput, "{}", found.message);
}
