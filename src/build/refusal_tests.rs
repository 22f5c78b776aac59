//! What a candidate may not do to the build, and what looks like it and is honest.

use super::tests::{candidate, refused, toy};
use super::*;
use crate::task::Permit;

fn rejected(result: Result<Built, BuildError>) -> String {
    let (outcome, log) = refused(result);
    assert_eq!(outcome, Refusal::AuditRejected, "{log}");
    log
}

/// The toy's `fast.c` with something before its function.
fn with(head: &str) -> String {
    format!("{head}\nint slow(int x) {{ return 2 * x; }}\n")
}

#[test]
fn sources_cannot_change_the_tasks_flags() {
    let paste = "#define S(x) #x\n#define P(x) _Pragma(S(x))\n#define C2(a, b) a##b\n#define C(a, b) C2(a, b)\n";
    for (head, what) in [
        ("#pragma GCC optimize(\"O1\")".to_owned(), "optimised"),
        ("#pragma GCC \\\n optimize(\"O1\")".to_owned(), "optimised"),
        ("%:pragma GCC optimize(\"O1\")".to_owned(), "optimised"),
        ("_Pragma(\"GCC optimize(\\\"Ofast\\\")\")".to_owned(), "optimised"),
        (format!("{paste}P(GCC C(opt, imize)(\"O1\"))\n"), "optimised"),
        (format!("{paste}__attribute__((C(opti, mize)(\"O1\")))"), "optimised"),
        ("#line 7 \"/usr/include/math.h\"\n#pragma STDC FENV_ACCESS ON".to_owned(), "arithmetic"),
        ("#pragma STDC FP_CONTRACT ON".to_owned(), "arithmetic"),
        // Only while it compiles does the compiler see the last line.
        (
            format!(
                "{paste}#pragma GCC target(\"avx2\")\n#ifdef __AVX2__\nP(GCC optimize(\"O1\"))\n#endif"
            ),
            "optimised",
        ),
    ] {
        let built = candidate(&toy(), &[("fast.c", &with(&head))]);
        assert!(built.is_err(), "{head}");
        let log = rejected(built);
        assert!(log.contains(what) && log.contains("permit"), "{head}: {log}");
    }
    let mut trigraph = toy();
    trigraph.task.build.flags.push("-std=c11".to_owned());
    let head = with("??=pragma GCC optimize(\"O1\")");
    rejected(candidate(&trigraph, &[("fast.c", &head)]));
    let mut header = toy();
    header.task.build.editable.push("*.h".to_owned());
    let log = rejected(candidate(
        &header,
        &[("fast.c", &with("#include \"own.h\"")), ("own.h", "#pragma GCC optimize(\"O1\")\n")],
    ));
    assert!(log.starts_with("./own.h:1: "), "{log}");
}

#[test]
fn instruction_sets_and_loops_are_the_sources_business() {
    for head in [
        "#pragma GCC push_options\n#pragma GCC target(\"avx2,fma\")\nint more(int x) { return x; }\n\
         #pragma GCC pop_options",
        "#include <immintrin.h>\n__attribute__((target(\"avx512f\"), noinline)) int more(int x) \
         { return _mm_cvtsi128_si32(_mm_set1_epi32(x)); }",
        "int more(int *x) {\n#pragma GCC ivdep\n#pragma GCC unroll 4\nfor (int i = 0; i < 64; i++) \
         x[i] += i;\nreturn x[1]; }",
        "int optimize(int x) { return x; }",
    ] {
        candidate(&toy(), &[("fast.c", &with(head))]).unwrap_or_else(|e| panic!("{head}: {e}"));
    }
}

#[test]
fn a_task_may_permit_them() {
    let head = with("#pragma GCC optimize(\"fast-math\")");
    let mut fixture = toy();
    fixture.task.build.permit = vec![Permit::Optimize];
    assert!(rejected(candidate(&fixture, &[("fast.c", &head)])).contains("arithmetic"));
    fixture.task.build.permit.push(Permit::FloatingPoint);
    candidate(&fixture, &[("fast.c", &head)]).expect("permitted");
}
