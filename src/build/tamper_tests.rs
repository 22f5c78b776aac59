use super::*;

fn kinds(found: &[Finding]) -> Vec<(Permit, &str)> {
    found.iter().map(|f| (f.permit, f.place.as_str())).collect()
}

#[test]
fn pragmas_and_attributes_are_found_where_they_stand() {
    use Permit::*;
    let text = br##"# 1 "./fast.c"
#pragma GCC optimize ("O3", "unroll-loops")
#pragma STDC FP_CONTRACT ON
# 20 "own.h" 1
__attribute__((hot, __optimize__("fast-math"))) int f(void);
[[gnu::hot, gnu::optimize("O1")]] int g(void);
#pragma clang attribute push(__attribute__((optnone)), apply_to = function)
%:pragma float_control(precise, off)
__attribute__((target("avx2,fpmath=387"))) int h(void);
"##;
    let expected = [
        (Optimize, "./fast.c:1"),
        (FloatingPoint, "./fast.c:2"),
        (Optimize, "own.h:20"),
        (FloatingPoint, "own.h:20"),
        (Optimize, "own.h:21"),
        (Optimize, "own.h:22"),
        (FloatingPoint, "own.h:23"),
        (FloatingPoint, "own.h:24"),
    ];
    let found = preprocessed(text);
    assert_eq!(kinds(&found), expected);
    assert_eq!(found[0].what, "#pragma GCC optimize (\"O3\", \"unroll-loops\")");
    let refusal = refusal(&found, &[FloatingPoint]).expect("the other one is not permitted");
    assert!(refusal.starts_with("./fast.c:1: `#pragma GCC optimize"), "{refusal}");
}

#[test]
fn honest_words_are_left_alone() {
    let text = br##"
#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi2")
#pragma GCC unroll 8
#pragma GCC ivdep
#pragma GCC diagnostic ignored "-Wfloat-equal"
#pragma once
int optimize(int x) { return x; } // __attribute__((optimize("O0")))
const char *text = "#pragma GCC optimize(\"Ofast\") __attribute__((optimize(1)))";
__attribute__((always_inline, target_clones("avx2", "default"))) int f(int x[4]);
int a = x[y[optimize(1)]];
__attribute__((cleanup(optimize))) int b;
"##;
    assert_eq!(preprocessed(text), []);
}

#[test]
fn the_list_of_functions_is_heard() {
    let list = br##"__attribute__((always_inline, target ("avx2")))
int honest (int x)
{
  return "__attribute__((optimize (1)))";
}

__attribute__((optimize ("no-inline", "fast-math"), target ("avx2")))
float f (float a)
{
}
"##;
    let found = listed(list);
    let place = "function float f (float a)";
    assert_eq!(kinds(&found), [(Permit::Optimize, place), (Permit::FloatingPoint, place)]);
}

#[test]
fn any_bytes_are_looked_through() {
    let text = b"#pragma GCC optimize(\"x\n__attribute__((optimize((((\n[[a::optimize(}\n# 9999999999999999999 \"";
    for cut in 0..text.len() {
        preprocessed(&text[..cut]);
        listed(&text[..cut]);
    }
    preprocessed(b"# 9223372036854775807 \"x\"\n\n\n#pragma STDC X\n");
}
