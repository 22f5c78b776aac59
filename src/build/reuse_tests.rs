use super::*;

fn files(list: &[(&str, &str)]) -> Files {
    Files(list.iter().map(|(n, t)| ((*n).to_owned(), t.as_bytes().to_vec())).collect())
}

const PORTABLE: &str = "int sum(const int *x, int n) {\n  int s = 0;\n  for (int i = 0; i < n; i++) s += x[i];\n  return s;\n}\n";

const FAST: &str = "\
#include <immintrin.h>
/* adds eight at a time */
int sum(const int *x, int n) {
  __m256i total = _mm256_setzero_si256();
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    __m256i v = _mm256_loadu_si256((const __m256i *)(x + i));
    total = _mm256_add_epi32(total, v);
  }
  int s = horizontal(total, 0x20);
  for (; i < n; i++) { s += x[i]; }
  return s;
}
";

fn trees() -> (Files, Files) {
    let pristine = files(&[("sum.c", PORTABLE)]);
    (pristine.clone(), files(&[("sum.c", PORTABLE), ("avx2/fast_sum.c", FAST)]))
}

fn of(name: &str, text: &str) -> Reuse {
    let (pristine, upstream) = trees();
    let mut candidate = pristine.clone();
    candidate.0.insert(name.to_owned(), text.as_bytes().to_vec());
    measure(&candidate, &pristine, &upstream)
}

#[test]
fn trivial_lines_do_not_count() {
    let text = b"\n  }\n});\n// x\n/* y\n z */\n#define A \\\n  1\n  a = 1;  \n{ }\n";
    assert_eq!(lines(text), [b"a = 1;"]);
}

#[test]
fn an_untouched_tree_adds_nothing() {
    let (pristine, upstream) = trees();
    assert_eq!(measure(&pristine, &pristine, &upstream), Reuse::default());
}

#[test]
fn a_copy_is_a_copy_in_the_same_file_or_another() {
    let copied = of("fast_sum.c", FAST);
    assert_eq!((copied.lines, copied.anywhere, copied.same_file), (9, 9, 9));
    assert_eq!(copied.normalised(), 1.0);
    let elsewhere = of("other.c", FAST);
    assert_eq!((elsewhere.anywhere, elsewhere.same_file), (9, 0));
    // What the file had before is not added.
    let both = of("sum.c", &format!("{PORTABLE}{FAST}"));
    assert!(both.lines == 9 && both.verbatim() == 1.0, "{both:?}");
}

#[test]
fn a_copy_with_other_names_and_another_layout_is_found_by_its_tokens() {
    let disguised = FAST
        .replace("total", "acc")
        .replace(" v ", " chunk ")
        .replace(", v)", ", chunk)")
        .replace(" i ", " k ")
        .replace("const ", "")
        .replace("0x20", "32u")
        .replace(" = ", "\n   =\n ")
        .replace("{ s += x[i]; }", "s += x[i];");
    let reuse = of("mine.c", &disguised);
    assert!(reuse.verbatim() < 0.5, "{reuse:?}");
    assert!(reuse.normalised() > 0.95, "{reuse:?}");
}

#[test]
fn work_of_ones_own_is_no_copy() {
    let own = "\
#include <immintrin.h>
int sum(const int *x, int n) {
  __m512i a = _mm512_setzero_si512(), b = a;
  int at = 0;
  while (n - at >= 32) {
    a = _mm512_add_epi32(a, _mm512_loadu_si512(x + at));
    b = _mm512_add_epi32(b, _mm512_loadu_si512(x + at + 16));
    at += 32;
  }
  __mmask16 rest = (__mmask16)((1u << (n - at)) - 1);
  a = _mm512_add_epi32(a, _mm512_maskz_loadu_epi32(rest, x + at));
  return _mm512_reduce_add_epi32(_mm512_add_epi32(a, b));
}
";
    let reuse = of("sum.c", own);
    assert_eq!((reuse.anywhere, reuse.alike), (0, 0), "{reuse:?}");
    assert_eq!(reuse.above(0.0), None);
}

#[test]
fn a_limit_holds_for_what_is_long_enough() {
    let short = of("fast_sum.c", FAST);
    assert_eq!(short.above(0.3), None);
    let long = Reuse { lines: 40, anywhere: 10, same_file: 0, tokens: 400, alike: 200 };
    let why = long.above(0.3).expect("half of it is alike");
    assert!(why.contains("40 lines") && why.contains("25 %") && why.contains("50 %"), "{why}");
    assert_eq!(long.above(0.5), None);
}

#[test]
fn any_bytes_have_lines_and_tokens() {
    for text in [&b"\xff\xfe\0"[..], b"0x", b"0xfffffffffffffffffffffffffffffffffffff", b"'"] {
        assert!(lines(text).len() <= 1);
        normalised(text);
    }
}
