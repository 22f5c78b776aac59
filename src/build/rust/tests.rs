//! A library in Rust goes through cargo and the audits, and so does what is smuggled into one.

use std::fs;

use crate::build::tests::{candidate, exports, make, pristine, refused};
use crate::build::{BuildError, Built, Overlay, Refusal, workspace};
use crate::task::cache::Cache;
use crate::task::fixture::{Fixture, put};
use crate::task::{Lang, Permit};

const ROOT: &str = "[package]\nname = \"toy\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
    [lib]\ncrate-type = [\"staticlib\"]\n\n[dependencies]\npart = { path = \"part\" }\n\n\
    [workspace]\nmembers = [\"part\", \"derive\"]\n";
const LOCK: &str = "version = 4\n\n[[package]]\nname = \"derive\"\nversion = \"0.1.0\"\n\n\
    [[package]]\nname = \"part\"\nversion = \"0.1.0\"\ndependencies = [\n \"derive\",\n]\n\n\
    [[package]]\nname = \"toy\"\nversion = \"0.1.0\"\ndependencies = [\n \"part\",\n]\n";
const PART: &str = "[package]\nname = \"part\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
    [dependencies]\nderive = { path = \"../derive\" }\n";
const DERIVE: &str = "[package]\nname = \"derive\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
    [lib]\nproc-macro = true\n";
const MACRO: &str = "use proc_macro::TokenStream;\n\
    #[proc_macro]\npub fn two(_: TokenStream) -> TokenStream { \"2\".parse().unwrap() }\n";
const API: &str =
    "#[unsafe(no_mangle)]\npub extern \"C\" fn f(x: i32) -> i32 { part::slow(x) + 1 }\n";
const SLOW: &str = "pub fn slow(x: i32) -> i32 { one(three(two(x))).wrapping_mul(derive::two!()) }\n\
    #[inline(never)]\nfn one(x: i32) -> i32 { std::hint::black_box(x) }\n\
    #[inline(never)]\nfn two(x: i32) -> i32 { std::hint::black_box(x) }\n\
    #[inline(never)]\nfn three(x: i32) -> i32 { std::hint::black_box(x) }\n";

/// A library of three crates, one of them a procedural macro; the middle one is editable.
fn toy() -> Fixture {
    let files = [
        ("Cargo.toml", ROOT),
        ("Cargo.lock", LOCK),
        ("src/lib.rs", API),
        ("part/Cargo.toml", PART),
        ("part/src/lib.rs", SLOW),
        ("derive/Cargo.toml", DERIVE),
        ("derive/src/lib.rs", MACRO),
    ];
    let mut fixture = Fixture::c(&files, &["f"]);
    let build = &mut fixture.task.build;
    build.lang = Lang::Rust;
    build.flags = vec!["-Copt-level=3".to_owned()];
    build.sources = Vec::new();
    // Wider than any author should write it: what decides about the build is closed anyway.
    build.editable = vec!["part/**".to_owned(), "derive/**".to_owned(), "build.rs".to_owned()];
    fixture.task.limits.build_seconds = 300;
    fixture
}

fn rejected(result: Result<Built, BuildError>) -> String {
    let (outcome, log) = refused(result);
    assert_eq!(outcome, Refusal::AuditRejected, "{log}");
    log
}

/// The middle crate with something before its function.
fn with(head: &str) -> String {
    format!("{head}\n{SLOW}")
}

#[test]
fn a_library_exports_the_contract_in_as_many_layouts_as_asked_for() {
    let fixture = toy();
    let built = make(&fixture, Overlay::Pristine, &[1, 2]).expect("builds");
    assert_eq!(exports(&built.layouts[0]), ["f"]);
    assert!(built.compiler.compiler().version.starts_with("rustc "), "{:?}", built.compiler);
    if built.compiler.shuffles() {
        assert_ne!(built.layouts[0].sha256, built.layouts[1].sha256);
    }
    // Another place, another cache, the same bytes.
    let again = make(&toy(), Overlay::Pristine, &[1, 2]).expect("builds");
    let hashes = |built: &Built| built.layouts.iter().map(|l| l.sha256.clone()).collect::<Vec<_>>();
    assert_eq!(hashes(&built), hashes(&again));
    // SAFETY: the library was just made from the text above; its function takes and gives an int.
    let answer = unsafe {
        let library = libloading(&built.layouts[0].path);
        let f: extern "C" fn(i32) -> i32 = std::mem::transmute(library);
        f(20)
    };
    assert_eq!(answer, 41);
}

/// Address of `f` in a library.
fn libloading(path: &std::path::Path) -> *mut libc::c_void {
    let path = std::ffi::CString::new(path.to_str().expect("UTF-8")).expect("no NUL");
    // SAFETY: both texts end in NUL, and the library runs nothing of its own when it is loaded.
    let f = unsafe { libc::dlsym(libc::dlopen(path.as_ptr(), libc::RTLD_NOW), c"f".as_ptr()) };
    assert!(!f.is_null());
    f
}

#[test]
fn a_candidate_changes_code_and_nothing_of_the_build() {
    let fixture = toy();
    let reference = pristine(&fixture).expect("builds");
    let build_script = "fn main() { panic!(\"it ran\"); }\n";
    let built = candidate(
        &fixture,
        &[
            ("part/src/lib.rs", "mod fast;\npub use fast::slow;\n"),
            ("part/src/fast.rs", "pub fn slow(x: i32) -> i32 { x.wrapping_add(x) ^ 0 }\n"),
            ("part/src/build.rs", "a module that nobody names"),
            ("build.rs", build_script),
            ("part/build.rs", build_script),
            ("part/Cargo.toml", "this is no manifest"),
            ("part/.cargo/config.toml", "[build]\nrustc = \"/bin/false\"\n"),
            ("derive/src/lib.rs", &MACRO.replace("\"2\"", "\"3\"")),
            ("derive/src/more.rs", "panic!()"),
            ("Cargo.toml", &format!("{ROOT}\n[profile.release]\nopt-level = 0\n")),
        ],
    )
    .expect("builds");
    let ignored: std::collections::BTreeSet<_> = built.ignored.iter().map(String::as_str).collect();
    let expected = [
        "Cargo.toml (changed, not editable)",
        "build.rs (not editable)",
        "derive/src/lib.rs (changed, not editable)",
        "derive/src/more.rs (not editable)",
        "part/.cargo/config.toml (not editable)",
        "part/Cargo.toml (changed, not editable)",
        "part/build.rs (not editable)",
    ];
    assert_eq!(ignored, expected.into());
    assert!(built.reuse.is_some());
    drop(reference);
}

#[test]
fn an_untouched_workspace_is_the_reference_and_a_changed_one_is_not() {
    let fixture = toy();
    let reference = pristine(&fixture).expect("builds").layouts;
    assert_eq!(candidate(&fixture, &[]).expect("builds").layouts, reference);
    let other = SLOW.replace("wrapping_mul", "wrapping_sub");
    let built = candidate(&fixture, &[("part/src/lib.rs", &other)]).expect("builds").layouts;
    assert_ne!(built[0].sha256, reference[0].sha256);
}

#[test]
fn errors_come_with_their_place() {
    let fixture = toy();
    let (outcome, log) = refused(candidate(
        &fixture,
        &[("part/src/lib.rs", "pub fn slow(x: i32) -> i32 {\n  y\n}")],
    ));
    assert_eq!(outcome, Refusal::BuildFailed);
    assert!(log.contains("part/src/lib.rs:2:3") && log.contains("`y`"), "{log}");
    assert!(!log.contains(fixture.root.path().to_str().expect("UTF-8")), "{log}");
    let mut missing = toy();
    missing.put("kernels/toy/src/src/lib.rs", &API.replace("fn f", "fn g"));
    missing.task.dir = missing.root.path().join("kernels/toy");
    let (_, log) = refused(pristine(&missing));
    assert!(log.contains("contract: f ") && log.contains("no_mangle"), "{log}");
}

#[test]
fn files_from_elsewhere_cannot_be_compiled_in() {
    let fixture = toy();
    let answer = fixture.put("baselines/toy/01-one/answer", "42");
    let answer = answer.display().to_string();
    let elsewhere = ["/usr/bin/env", "/etc/passwd", "/etc/shadow", answer.as_str()];
    for file in elsewhere {
        let head = format!("pub static X: &[u8] = include_bytes!({file:?});\n");
        let (outcome, log) = refused(candidate(&fixture, &[("part/src/lib.rs", &with(&head))]));
        // Where the kernel hides files there is nothing to read; elsewhere the list tells of it.
        assert!(log.contains(file), "{outcome:?}: {log}");
    }
    let module = format!("#[path = {answer:?}]\nmod x;");
    refused(candidate(&fixture, &[("part/src/lib.rs", &with(&module))]));
    let own = [
        ("part/src/table", "12345678"),
        ("part/src/lib.rs", &with("pub static X: &[u8] = include_bytes!(\"table\");")),
    ];
    candidate(&fixture, &own).expect("a table of its own is fine");
}

#[test]
fn code_that_runs_at_load_is_counted() {
    let mut fixture = toy();
    let head = "#[used]\n#[unsafe(link_section = \".init_array\")]\nstatic EARLY: extern \"C\" fn() \
                = early;\nextern \"C\" fn early() { std::process::abort() }\n";
    let files = [("part/src/lib.rs", with(head))];
    let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
    let log = rejected(candidate(&fixture, &files));
    assert!(log.contains("run when the library is loaded"), "{log}");
    fixture.task.build.permit = vec![Permit::Constructors];
    candidate(&fixture, &files).expect("permitted");
}

#[test]
fn what_no_list_tells_of_is_refused_where_it_stands() {
    let fixture = toy();
    for (head, word) in [
        ("#![feature(core_intrinsics)]", "feature"),
        ("core::arch::global_asm!(\".incbin \\\"/usr/bin/env\\\"\");", "global_asm"),
        ("#[link(name = \"crypto\")]\nunsafe extern \"C\" {}", "link"),
        ("include!(\"other.txt\");", "include"),
    ] {
        let log = rejected(candidate(&fixture, &[("part/src/lib.rs", &with(head))]));
        assert!(log.contains(&format!("part/src/lib.rs:1: `{word}`")), "{log}");
    }
    let detected = "pub fn more() -> bool { is_x86_feature_detected!(\"avx2\") }\n\
                    #[target_feature(enable = \"avx2\")]\npub fn wide(x: &mut [u64]) { \
                    x.iter_mut().for_each(|x| *x += 1) }\n";
    if cfg!(target_arch = "x86_64") {
        candidate(&fixture, &[("part/src/lib.rs", &with(detected))]).expect("builds");
    }
}

/// Build scripts are the author's, and still see nothing but their tree.
#[test]
fn what_runs_while_it_is_built_is_shut_in() {
    let mut fixture = toy();
    let outside = fixture.root.path().join("planted");
    let secret = fixture.put("baselines/toy/secret", "42");
    let script = format!(
        "fn main() {{\n    let read = std::fs::read({secret:?}).is_ok();\n    \
         let wrote = std::fs::write({outside:?}, \"x\").is_ok();\n    \
         let net = std::net::TcpStream::connect(\"127.0.0.1:1\").is_ok();\n    \
         println!(\"cargo::rustc-env=SEEN={{}}\", (read || wrote || net) as u8);\n}}\n"
    );
    fixture.put("kernels/toy/src/part/build.rs", &script);
    let text = "pub fn slow(x: i32) -> i32 { x + env!(\"SEEN\").len() as i32 }\n\
                const _: () = assert!(env!(\"SEEN\").as_bytes()[0] == b'0');\n";
    fixture.put("kernels/toy/src/part/src/lib.rs", text);
    fixture.task.build.editable = vec!["part/src/**".to_owned()];
    if crate::sandbox::Profile::detect() == crate::sandbox::Profile::User {
        eprintln!("SKIPPED: the builder is the user who runs this test");
        return;
    }
    pristine(&fixture).expect("builds, having seen nothing");
    assert!(!outside.exists());
}

#[test]
fn a_workspace_for_people_has_the_manifests() {
    let fixture = toy();
    let cache = Cache::at(&fixture.root.path().join("cache")).expect("opens");
    let dir = tempfile::tempdir().expect("temporary folder");
    put(&fixture.task.dir.join("steps/01-one/instruction.md"), "make it faster");
    workspace::write_workspace(&fixture.task, &cache, dir.path()).expect("writes");
    for file in ["Cargo.toml", "Cargo.lock", "part/src/lib.rs", "steps/01-one/instruction.md"] {
        assert!(fs::metadata(dir.path().join(file)).is_ok(), "{file}");
    }
}
