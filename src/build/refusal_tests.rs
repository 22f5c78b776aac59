//! What a candidate may not do to the build, and what looks like it and is honest.

use std::fs;
use std::path::Path;

use super::tests::{candidate, exports, make, pristine, refused, toy};
use super::*;
use crate::task::Permit;
use crate::task::fixture::Fixture;

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

fn elf() -> Vec<u8> {
    fs::read("/proc/self/exe").expect("reads").into_iter().take(600).collect()
}

/// A workspace of the toy with one file of these bytes in it.
fn asset(name: &str, bytes: &[u8]) -> Result<Built, BuildError> {
    let fixture = toy();
    let cache = Cache::at(&fixture.root.path().join("cache")).expect("opens");
    let dir = tempfile::tempdir().expect("temporary folder");
    write_workspace(&fixture.task, &cache, dir.path()).expect("writes");
    let file = dir.path().join(name);
    fs::create_dir_all(file.parent().expect("has one")).expect("makes folders");
    fs::write(file, bytes).expect("writes");
    make(&fixture, Overlay::Workspace(dir.path()), &[1])
}

#[test]
fn compiled_code_is_no_source() {
    let log = rejected(asset("more/table.bin", &elf()));
    assert!(log.contains("more/table.bin holds an ELF file at byte 0"), "{log}");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, &elf()).expect("writes to memory");
    let log = rejected(asset("more/table.gz", &gzip.finish().expect("writes to memory")));
    assert!(log.contains("gzip archive"), "{log}");
    let log = rejected(asset("more/own.h.gch/c", b"anything"));
    assert!(log.contains("precompiled header"), "{log}");
    // Where it does nothing it need not be refused.
    asset("notes.o", &elf()).expect("not editable, so ignored");
    asset("more/table.bin", &[7; 5000]).expect("a table");
}

#[test]
fn compiled_code_is_found_in_a_library_however_it_was_spelled() {
    let bytes: Vec<String> = elf().iter().map(|b| format!("{b:#x}")).collect();
    let table = format!(
        "const unsigned char table[] = {{{}}};\nint slow(int x) {{ return 2 * x + 0 * table[x & 255]; }}\n\
         const unsigned char *keep(void);\nint more(int x) {{ return keep()[x]; }}\n\
         const unsigned char *keep(void) {{ return table; }}\n",
        bytes.join(",")
    );
    let used = table.replace("2 * x + 0 * table[x & 255]", "more(x)");
    let log = rejected(candidate(&toy(), &[("fast.c", &used)]));
    assert!(log.contains("an ELF file"), "{log}");
    let honest = used.replacen("0x7f", "0x7e", 1);
    candidate(&toy(), &[("fast.c", &honest)]).expect("a table like any other");
}

#[test]
fn the_systems_libraries_are_no_sources() {
    let library = "/usr/lib/x86_64-linux-gnu/libm.so.6";
    if !Path::new(library).exists() {
        eprintln!("SKIPPED: no {library} here");
        return;
    }
    let head = format!(
        "__asm__(\".pushsection .text\\n.incbin \\\"{library}\\\", 4096, 64\\n.popsection\");"
    );
    let log = rejected(candidate(&toy(), &[("fast.c", &with(&head))]));
    assert!(log.contains(library), "{log}");
    let head = "#include <math.h>\n#include <immintrin.h>\n#include \"/usr/include/string.h\"";
    candidate(&toy(), &[("fast.c", &with(head))]).expect("headers are for everybody");
}

#[test]
fn devices_and_processes_are_no_sources() {
    let mut fixture = toy();
    fixture.task.limits.build_seconds = 20;
    for file in ["/dev/urandom", "/proc/self/environ", "/dev/stdin"] {
        let head =
            format!("__asm__(\".pushsection .rodata\\n.incbin \\\"{file}\\\"\\n.popsection\");");
        refused(candidate(&fixture, &[("fast.c", &with(&head))]));
        refused(candidate(&fixture, &[("fast.c", &with(&format!("#include \"{file}\"")))]));
    }
}

#[test]
fn nothing_new_runs_when_a_library_is_loaded() {
    let clones = "__attribute__((target_clones(\"avx2\", \"default\"))) int more(int x) { return x; }\n\
         int slow(int x) { return more(x); }\n";
    for (text, what, permit) in [
        (
            with("__attribute__((constructor)) static void c(void) { __asm__(\"nop\"); }"),
            "loaded or",
            Permit::Constructors,
        ),
        (
            with(
                "static void c(void) {}\n__attribute__((section(\".init_array\"), used)) static void (*p)(void) = c;",
            ),
            "loaded or",
            Permit::Constructors,
        ),
        (
            with(
                "static void c(void) {}\n__attribute__((section(\".ctors\"), used)) static void (*p)(void) = c;",
            ),
            "loaded or",
            Permit::Constructors,
        ),
        (
            with("__asm__(\".pushsection .init,\\\"ax\\\"\\nnop\\n.popsection\");"),
            "loaded or",
            Permit::Constructors,
        ),
        (
            with("__attribute__((destructor)) static void c(void) { __asm__(\"nop\"); }"),
            "loaded or",
            Permit::Constructors,
        ),
        (clones.to_owned(), "IFUNC", Permit::Ifunc),
    ] {
        let mut fixture = toy();
        let log = rejected(candidate(&fixture, &[("fast.c", &text)]));
        assert!(log.contains(what) && log.contains("permit"), "{log}");
        fixture.task.build.permit = vec![permit];
        candidate(&fixture, &[("fast.c", &text)]).unwrap_or_else(|e| panic!("{text}: {e}"));
    }
    // The compiler's own constructor, which asks the processor what it can do.
    let head = "int can(void) { return __builtin_cpu_supports(\"avx2\"); }\nint slow(int x) { return can() + x; }\n";
    candidate(&toy(), &[("fast.c", head)]).expect("builds");
    // What the reference has, a candidate may have.
    let api = "__attribute__((constructor)) static void c(void) { __asm__(\"nop\"); }\nint slow(int);\n\
         int f(int x) { return slow(x); }\n";
    let fixture =
        Fixture::c(&[("api.c", api), ("fast.c", "int slow(int x) { return x; }\n")], &["f"]);
    candidate(&fixture, &[("fast.c", "int slow(int x) { return x | 0; }\n")]).expect("builds");
}

#[test]
fn giant_tables_are_refused_and_small_ones_are_not() {
    let table = |kind: &str, mib: f64| {
        let bytes = (mib * f64::from(1 << 20)) as usize;
        format!(
            "{kind} unsigned char table[{bytes}] = {{{}}};\n\
             int slow(int x) {{ volatile unsigned char *t = (void *)table; return t[x & 7]; }}\n",
            if kind.contains("zero") { "0" } else { "1" }
        )
        .replace("zero ", "")
    };
    let mut fixture = toy();
    fixture.task.limits.growth_mb = 1;
    for kind in ["const", "zero static", "_Thread_local"] {
        let log = rejected(candidate(&fixture, &[("fast.c", &table(kind, 1.5))]));
        assert!(log.contains("1.5 MiB more than the reference"), "{kind}: {log}");
        let small = candidate(&fixture, &[("fast.c", &table(kind, 0.5))]);
        small.unwrap_or_else(|e| panic!("{kind}: {e}"));
    }
    // Code is no way round.
    let code = "__attribute__((noinline)) static int big(int x)\n\
         { __asm__(\".skip 1500000, 0x90\"); return x; }\nint slow(int x) { return big(x); }\n";
    let log = rejected(candidate(&fixture, &[("fast.c", code)]));
    assert!(log.contains("more than the reference"), "{log}");
}

#[test]
fn names_of_libc_stay_inside() {
    let text = "#include <stddef.h>\nint memcmp(const void *a, const void *b, size_t n) { return 0; }\n\
         int clock_gettime(int c, void *t) { return 0; }\nint slow(int x) { return 2 * x; }\n";
    let fixture = toy();
    let built = candidate(&fixture, &[("fast.c", text)]).expect("builds");
    assert_eq!(exports(&built.layouts[0]), ["f"]);
}

#[test]
fn an_object_cannot_ask_for_libraries() {
    let head = "__asm__(\".pushsection .deplibs,\\\"MS\\\",@0x6fff4c04,1\\n.asciz \\\"nowhere\\\"\\n.popsection\");";
    candidate(&toy(), &[("fast.c", &with(head))]).expect("what it asks for is not looked for");
}

#[test]
fn a_library_that_is_garbage_is_refused_politely() {
    let fixture = toy();
    let built = candidate(&fixture, &[]).expect("builds");
    let good = fs::read(&built.layouts[0].path).expect("reads");
    let symbols = ["f".to_owned()];
    audit::audit(&good, &symbols).expect("honest");
    let look = |bytes: &[u8]| {
        let _ = audit::audit(bytes, &symbols);
        let _ = sheet::Sheet::of(&Files([("0.o".to_owned(), bytes.to_vec())].into()), bytes);
    };
    (0..good.len()).step_by(7).for_each(|at| look(&good[..at]));
    for at in 0..good.len().min(6000) {
        for value in [0, 0xff, 0x80] {
            let mut broken = good.clone();
            broken[at] = value;
            look(&broken);
        }
    }
}

#[test]
fn copies_of_what_the_workspace_was_stripped_of_are_measured_and_can_be_limited() {
    let body = |name: &str| {
        (0..24)
            .map(|i| format!("  {name} = ({name} << {i}) ^ (x + {i}) ^ {name} * {};\n", i * 7))
            .collect::<String>()
    };
    let upstream =
        format!("int quick(int x) {{\n  int acc = x;\n{}  return acc;\n}}\n", body("acc"));
    let mut fixture = toy();
    fixture.put("kernels/toy/src/x86/quick.c", &upstream);
    fixture.task.source.strip = vec![crate::task::Strip::Files("x86/**".to_owned())];
    let pasted = format!("{upstream}int slow(int x) {{ return quick(x); }}\n");
    let renamed =
        pasted.replace("acc", "mine").replace("  mine =", "mine =\n   ").replace("quick", "own");
    let own = with("int more(int x) { return x / 3 - (x >> 2); }");
    let reuse = |text: &str| {
        candidate(&fixture, &[("fast.c", text)]).expect("no limit").reuse.expect("a candidate")
    };
    assert!(reuse(&pasted).verbatim() > 0.9 && reuse(&pasted).normalised() > 0.9);
    assert!(reuse(&renamed).verbatim() < 0.2 && reuse(&renamed).normalised() > 0.9);
    assert!(reuse(&own).normalised() == 0.0);
    assert_eq!(pristine(&fixture).expect("builds").reuse, None);
    fixture.task.limits.reuse = Some(0.5);
    for text in [&pasted, &renamed] {
        let log = rejected(candidate(&fixture, &[("fast.c", text)]));
        assert!(log.contains("this task allows 50 %"), "{log}");
    }
    candidate(&fixture, &[("fast.c", &own)]).expect("work of one's own");
}
