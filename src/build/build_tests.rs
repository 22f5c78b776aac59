use super::*;
use crate::task::fixture::{Fixture, put};
use crate::task::{FileFlags, Lang};
use object::{Object, ObjectSymbol};
use std::fs;
use std::path::Path;

const SHADOW: &str = "/etc/shadow";

/// Builds with one seed unless told otherwise, in the fixture's own cache.
pub(super) fn make(
    fixture: &Fixture,
    overlay: Overlay,
    seeds: &[u64],
) -> Result<Built, BuildError> {
    let cache = Cache::at(&fixture.root.path().join("cache")).expect("opens");
    build(&BuildRequest {
        task: &fixture.task,
        overlay,
        layouts: seeds,
        profile: Profile::detect(),
        cache: &cache,
        progress: &|_| {},
    })
}

pub(super) fn pristine(fixture: &Fixture) -> Result<Built, BuildError> {
    make(fixture, Overlay::Pristine, &[1])
}

/// A workspace of the fixture with some files changed.
pub(super) fn candidate(fixture: &Fixture, files: &[(&str, &str)]) -> Result<Built, BuildError> {
    let cache = Cache::at(&fixture.root.path().join("cache")).expect("opens");
    let dir = tempfile::tempdir().expect("temporary folder");
    write_workspace(&fixture.task, &cache, dir.path()).expect("writes");
    files.iter().for_each(|(name, text)| put(&dir.path().join(name), text));
    make(fixture, Overlay::Workspace(dir.path()), &[1])
}

pub(super) fn refused(result: Result<Built, BuildError>) -> (Refusal, String) {
    match result {
        Err(BuildError::Candidate { outcome, log }) => (outcome, log),
        other => panic!("{other:?}"),
    }
}

fn failed(result: Result<Built, BuildError>) -> String {
    let (outcome, log) = refused(result);
    assert_eq!(outcome, Refusal::BuildFailed, "{log}");
    log
}

pub(super) fn toy() -> Fixture {
    let api = "#include \"toy.h\"\nint slow(int);\nint f(int x) { return slow(x) + 1; }\n";
    Fixture::c(&[("api.c", api), ("fast.c", "int slow(int x) { return 2 * x; }\n")], &["f"])
}

pub(super) fn exports(library: &Library) -> Vec<String> {
    let bytes = fs::read(&library.path).expect("reads");
    let file = object::File::parse(&*bytes).expect("ELF");
    let defined = file.dynamic_symbols().filter(|symbol| symbol.is_definition());
    defined.map(|symbol| symbol.name().expect("a name").to_owned()).collect()
}

#[test]
fn a_library_exports_the_contract_and_nothing_else() {
    let fixture = toy();
    let built = pristine(&fixture).expect("builds");
    assert_eq!(exports(&built.layouts[0]), ["f"]);
    assert_eq!(built.flags, ["-O2"]);
    assert_eq!(sha256(&fs::read(&built.layouts[0].path).expect("reads")), built.layouts[0].sha256);
}

#[test]
fn a_candidate_may_change_and_add_what_is_editable() {
    let fixture = toy();
    let built = candidate(
        &fixture,
        &[
            ("fast.c", "int twice(int);\nint slow(int x) { return twice(x); }\n"),
            ("fast_more.c", "int twice(int x) { return x + x; }\n"),
            ("api.c", "this is not C"),
        ],
    )
    .expect("builds");
    assert_eq!(built.ignored, ["api.c (changed, not editable)"]);
    assert_ne!(built.layouts[0].sha256, pristine(&fixture).expect("builds").layouts[0].sha256);
}

#[test]
fn an_untouched_workspace_is_the_reference_bit_for_bit() {
    let fixture = toy();
    let (a, b) = (pristine(&fixture), candidate(&fixture, &[]));
    assert_eq!(a.expect("builds").layouts, b.expect("builds").layouts);
}

#[test]
fn a_compile_error_comes_with_its_place() {
    let log = failed(candidate(&toy(), &[("fast.c", "int slow(int x) {\n  return y;\n}\n")]));
    assert!(log.contains("./fast.c:2:") && log.contains("'y'"), "{log}");
    assert!(!log.contains("/tmp"), "paths are relative: {log}");
}

#[test]
fn a_missing_function_is_named() {
    let mut fixture = toy();
    fixture.task = Fixture::c(&[], &["f", "g"]).task;
    fixture.task.dir = toy_dir(&fixture);
    let log = failed(pristine(&fixture));
    assert!(log.contains("contract: g "), "{log}");
}

fn toy_dir(fixture: &Fixture) -> PathBuf {
    fixture.root.path().join("kernels/toy")
}

#[test]
fn a_hidden_or_static_function_counts_as_missing() {
    let hidden = "__attribute__((visibility(\"hidden\"))) int f(int x) { return x; }";
    for source in [hidden, "static int f(int x) { return x; } int (*g)(int) = f;"] {
        let log = failed(pristine(&Fixture::c(&[("api.c", source)], &["f"])));
        assert!(log.contains("contract: f "), "{log}");
    }
}

#[test]
fn other_symbols_stay_inside() {
    let more = "int slow(int x) { return x; }\nint extra(int x) { return x; }\nint data = 1;\n";
    let fixture = toy();
    let built = candidate(&fixture, &[("fast.c", more)]).expect("builds");
    assert_eq!(exports(&built.layouts[0]), ["f"]);
}

#[test]
fn an_undefined_symbol_fails_the_link() {
    let more = "int nowhere(int);\nint slow(int x) { return nowhere(x); }\n";
    let log = failed(candidate(&toy(), &[("fast.c", more)]));
    assert!(log.contains("undefined") && log.contains("nowhere"), "{log}");
}

#[test]
fn a_file_that_only_root_may_read_cannot_be_included() {
    if Profile::detect() == Profile::User {
        eprintln!("SKIPPED: only root has a builder's user");
        return;
    }
    if !Path::new(SHADOW).exists() {
        eprintln!("SKIPPED: no {SHADOW} here");
        return;
    }
    for source in [
        format!("#include \"{SHADOW}\"\n"),
        format!("__asm__(\".incbin \\\"{SHADOW}\\\"\");\nint slow(int x) {{ return x; }}\n"),
    ] {
        let log = failed(candidate(&toy(), &[("fast.c", &source)]));
        assert!(
            log.to_lowercase().contains("permission denied")
                || log.contains("can't open")
                || log.contains("file not found"),
            "{log}"
        );
        assert!(!log.contains("root:"), "{log}");
    }
}

/// What any user may read is out of sight all the same.
#[test]
fn a_file_outside_the_tree_is_not_compiled_in() {
    let elsewhere = tempfile::tempdir().expect("temporary folder");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(elsewhere.path(), open).expect("opens");
    let answer = elsewhere.path().join("answer.c");
    put(&answer, "int slow(int x) { return 2 * x; }\n");
    let answer = answer.display();
    let up = "../".repeat(20);
    for source in [
        format!("#include \"{answer}\"\n"),
        format!("#include \"{up}{answer}\"\n"),
        format!("#define ANSWER <{answer}>\n#include ANSWER\n"),
        format!("__asm__(\".inc\" \"bin \\\"{answer}\\\"\");\nint slow(int x) {{ return x; }}\n"),
    ] {
        let (_, log) = refused(candidate(&toy(), &[("fast.c", &source)]));
        assert!(log.contains("answer.c"), "{log}");
    }
}

/// The tree's own files, and the system's, by whatever path.
#[test]
fn files_of_the_tree_may_be_compiled_in_by_any_path() {
    let source = "#include <stdint.h>\n#include \"./fast_two.h\"\n#include \"include/../include/toy.h\"\n\
        #include \"/usr/include/string.h\"\n\
        __asm__(\".pushsection .rodata\\n.incbin \\\"fast_two.h\\\"\\n.popsection\");\n\
        int slow(int x) { return TWO * x; }\n";
    let mut fixture = toy();
    fixture.task.build.editable.push("*.h".to_owned());
    let files = [("fast.c", source), ("fast_two.h", "#define TWO 2\n")];
    candidate(&fixture, &files).expect("builds");
}

#[test]
fn an_endless_include_is_bounded() {
    let mut fixture = toy();
    fixture.task.limits.build_seconds = 20;
    failed(candidate(&fixture, &[("fast.c", "#include \"/dev/zero\"\n")]));
}

#[test]
fn an_endless_compile_ends_at_the_deadline() {
    let mut fixture = toy();
    fixture.task.limits.build_seconds = 1;
    // 2^40 expansions.
    let mut bomb = String::from("#define A0 x x\n");
    for i in 1..40 {
        bomb.push_str(&format!("#define A{i} A{0} A{0}\n", i - 1));
    }
    bomb.push_str("int slow(int x) { return A39; }\n");
    failed(candidate(&fixture, &[("fast.c", &bomb)]));
}

#[test]
fn a_build_that_is_killed_leaves_no_process_and_no_folder() {
    let mut fixture = toy();
    fixture.task.limits.build_seconds = 1;
    failed(candidate(&fixture, &[("fast.c", "#include \"/dev/zero\"\n")]));
    let left = fs::read_dir(fixture.root.path().join("cache/tmp")).expect("there").count();
    assert_eq!(left, 0);
}

#[test]
fn objects_are_bounded_together() {
    let big = |i| format!("char big{i}[120 << 20] = {{1}};\n");
    let names: Vec<String> = (0..6).map(|i| format!("fast{i}.c")).collect();
    let files: Vec<(&str, String)> =
        names.iter().zip(0..).map(|(n, i)| (n.as_str(), big(i))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(n, text)| (*n, text.as_str())).collect();
    let log = failed(candidate(&toy(), &files));
    assert!(log.contains("objects of more than"), "{log}");
}

#[test]
fn names_that_look_like_options_are_files() {
    let mut fixture = toy();
    fixture.task.build.editable.push("*.c".to_owned());
    let odd = [("-fplugin=x.c", "int a;\n"), ("@list.c", "int b;\n"), ("two words.c", "int c;\n")];
    candidate(&fixture, &odd).expect("builds");
}

#[test]
fn seeds_move_functions_and_give_the_same_bytes_again() {
    let many: String =
        (0..32).map(|i| format!("int f{i}(int x) {{ return x * {i}; }}\n")).collect();
    let names: Vec<String> = (0..32).map(|i| format!("f{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let fixture = Fixture::c(&[("api.c", &many)], &names);
    let built = make(&fixture, Overlay::Pristine, &[1, 2, 0]).expect("builds");
    let order = |library: &Library| {
        let bytes = fs::read(&library.path).expect("reads");
        let file = object::File::parse(&*bytes).expect("ELF");
        let mut at: Vec<(u64, String)> = file
            .dynamic_symbols()
            .filter(|symbol| symbol.is_definition())
            .map(|symbol| (symbol.address(), symbol.name().expect("a name").to_owned()))
            .collect();
        at.sort();
        assert!(at.iter().all(|(address, _)| address % 64 == 0), "aligned: {at:?}");
        at.into_iter().map(|(_, name)| name).collect::<Vec<_>>()
    };
    let orders: Vec<_> = built.layouts.iter().map(order).collect();
    if built.compiler.shuffles() {
        assert!(orders[0] != orders[1] && orders[1] != orders[2] && orders[0] != orders[2]);
    } else {
        eprintln!("SKIPPED in part: no lld here, so all layouts are the same");
        assert_eq!(orders[0], orders[1]);
    }
    // From nothing, with another cache.
    fs::rename(fixture.root.path().join("cache"), fixture.root.path().join("old")).expect("moves");
    let again = make(&fixture, Overlay::Pristine, &[1, 2, 0]).expect("builds");
    let hashes = |built: &Built| built.layouts.iter().map(|l| l.sha256.clone()).collect::<Vec<_>>();
    assert_eq!(hashes(&built), hashes(&again));
}

#[test]
fn what_is_cached_is_not_built_again_and_what_was_changed_is() {
    let fixture = toy();
    let first = pristine(&fixture).expect("builds");
    let cache = Cache::at(&fixture.root.path().join("cache")).expect("opens");
    let steps = std::sync::Mutex::new(Vec::new());
    let again = |seeds: &[u64]| {
        steps.lock().expect("no panic").clear();
        let built = build(&BuildRequest {
            task: &fixture.task,
            overlay: Overlay::Pristine,
            layouts: seeds,
            profile: Profile::detect(),
            cache: &cache,
            progress: &|step| steps.lock().expect("no panic").push(step),
        });
        let steps = steps.lock().expect("no panic");
        let compiled = steps.iter().any(|step| matches!(step, Progress::Compiling { .. }));
        let linked =
            steps.iter().any(|s| matches!(s, Progress::Linking { done, total } if done < total));
        (built.expect("builds"), compiled, linked)
    };
    let (second, compiled, linked) = again(&[1]);
    assert_eq!(first.layouts, second.layouts);
    assert!(!compiled && !linked);
    // Another layout needs a link, but no compiler.
    let (_, compiled, linked) = again(&[1, 7]);
    assert!(!compiled && linked);
    // A library that somebody tampered with is thrown away.
    fs::remove_file(&first.layouts[0].path).expect("removes");
    fs::write(&first.layouts[0].path, "evil").expect("writes");
    let (third, _, linked) = again(&[1]);
    assert_eq!(first.layouts, third.layouts);
    assert!(linked);
}

#[test]
fn flags_for_some_files_reach_only_those() {
    let api = "int slow(int);\n#ifdef EXTRA\n#error no\n#endif\nint f(int x) { return slow(x); }\n";
    let fast = "#ifndef EXTRA\n#error yes\n#endif\nint slow(int x) { return x; }\n";
    let mut fixture = Fixture::c(&[("api.c", api), ("fast.c", fast)], &["f"]);
    failed(pristine(&fixture));
    fixture.task.build.overrides =
        vec![FileFlags { files: vec!["fast*.c".to_owned()], flags: vec!["-DEXTRA".to_owned()] }];
    pristine(&fixture).expect("builds");
}

#[test]
fn headers_of_the_contract_and_of_the_tree_are_found() {
    let api = "#include \"toy.h\"\n#include \"own.h\"\nint f(int x) { return x + OWN; }\n";
    let mut fixture = Fixture::c(&[("api.c", api), ("deep/own.h", "#define OWN 1\n")], &["f"]);
    failed(pristine(&fixture));
    fixture.task.build.include = vec!["deep".to_owned()];
    pristine(&fixture).expect("builds");
}

#[test]
fn assembly_is_compiled() {
    let asm = ".text\n.globl f\n.type f, @function\nf:\n  ret\n.size f, . - f\n";
    let fixture = Fixture::c(&[("f.S", asm)], &["f"]);
    let built = pristine(&fixture).expect("builds");
    assert_eq!(exports(&built.layouts[0]), ["f"]);
}

#[test]
fn cxx_carries_its_own_runtime() {
    let source = "#include <string>\n#include <stdexcept>\n#include <cmath>\n\
        extern \"C\" int f(int x) {\n\
          try { std::string s(x, 'a'); if (s.size() > 3) throw std::runtime_error(s); }\n\
          catch (const std::exception &e) { return e.what()[0] + (int)std::cbrt(x); }\n\
          return 0;\n}\n";
    let mut fixture = Fixture::c(&[("api.cpp", source)], &["f"]);
    fixture.task.build.sources = vec!["*.cpp".to_owned()];
    assert!(failed(pristine(&fixture)).contains("lang is c"));
    fixture.task.build.lang = Lang::Cxx;
    // The audit would refuse a need for libstdc++ or libgcc_s.
    assert_eq!(exports(&pristine(&fixture).expect("builds").layouts[0]), ["f"]);
}

#[test]
fn the_audit_refuses_what_must_not_be_loaded() {
    let f = "int f(int x) { return x; }\n";
    let data = refused(pristine(&Fixture::c(&[("api.c", "int f = 1;\n")], &["f"])));
    assert_eq!(data.0, Refusal::AuditRejected);
    assert!(data.1.contains("not as a function"), "{}", data.1);

    let fixture = Fixture::c(&[("api.c", f)], &["f"]);
    let good = pristine(&fixture).expect("builds");
    let good = fs::read(&good.layouts[0].path).expect("reads");
    let symbols = |names: &[&str]| names.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
    assert_eq!(audit::audit(&good, &symbols(&["f"])), Ok(()));
    let says =
        |symbols: &[String], bytes: &[u8]| audit::audit(bytes, symbols).expect_err("refused");
    assert!(says(&symbols(&["f", "g"]), &good).contains("does not export g"));
    assert!(says(&[], &good).contains("exports f, which is not in the contract"));
    assert!(says(&symbols(&["f"]), b"nonsense").contains("no valid ELF"));
    assert!(says(&symbols(&["f"]), &good[..good.len() / 2]).contains("ELF"));
    for (flags, what) in [
        (&["-Wl,-z,execstack"][..], "executable stack"),
        (&["-Wl,-rpath,/evil"], "RUNPATH"),
        (
            &["-Wl,--no-as-needed", "-lpthread", "-ldl", "-lutil", "-Wl,-soname,x", "-lz"],
            "needs the library",
        ),
        (&["-Wl,--audit=/evil.so"], "audit library"),
        (&["-Wl,-f,/evil.so"], "auxiliary library"),
    ] {
        if let Some(bytes) = link_badly(f, flags) {
            assert!(says(&symbols(&["f"]), &bytes).contains(what), "{flags:?}");
        }
    }
}

/// A shared library as speedgate would not link it; none if this linker cannot.
fn link_badly(source: &str, flags: &[&str]) -> Option<Vec<u8>> {
    let dir = tempfile::tempdir().expect("temporary folder");
    put(&dir.path().join("f.c"), source);
    let out = dir.path().join("f.so");
    let mut command = std::process::Command::new("/usr/bin/gcc");
    command.args(["-shared", "-fPIC", "-o"]).arg(&out).arg(dir.path().join("f.c")).args(flags);
    if !command.output().expect("a compiler").status.success() {
        eprintln!("SKIPPED in part: this linker refuses {flags:?}");
        return None;
    }
    Some(fs::read(out).expect("reads"))
}

#[test]
fn workspaces_are_written_once_and_hold_no_answer() {
    let fixture = toy();
    fixture.put("kernels/toy/steps/01-one/instruction.md", "make f faster");
    fixture.put("baselines/toy/01-one/fast.c", "int slow(int x) { return x << 1; }\n");
    let cache = Cache::at(&fixture.root.path().join("cache")).expect("opens");
    let dir = fixture.root.path().join("out/ws");
    write_workspace(&fixture.task, &cache, &dir).expect("writes");
    let names: Vec<String> = Files::read(&dir).expect("reads").0.into_keys().collect();
    assert_eq!(names, ["api.c", "fast.c", "include/toy.h", "steps/01-one/instruction.md"]);
    let again = write_workspace(&fixture.task, &cache, &dir);
    assert!(matches!(again, Err(WorkspaceError::NotEmpty { .. })));

    let solved = fixture.root.path().join("out/solved");
    write_solution(&fixture.task, 0, &cache, &solved).expect("writes");
    let direct = make(&fixture, Overlay::Solution { step: 0 }, &[1]).expect("builds");
    let written = make(&fixture, Overlay::Workspace(&solved), &[1]).expect("builds");
    assert_eq!(direct.layouts, written.layouts);
    assert!(written.ignored.is_empty(), "{:?}", written.ignored);
}
