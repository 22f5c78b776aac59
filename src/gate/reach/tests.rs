//! References in real libraries. (Breakpoints are put to the test by `selftest gate`.)

use std::io;

use super::{References, Symbol, in_files, missed, refusal};
use crate::build::{self, BuildRequest, Overlay};
use crate::report::record::{Reached, Witness};
use crate::sandbox::Profile;
use crate::task::cache::Cache;
use crate::task::fixture::Fixture;

/// A library of this source, with `entry` and `scored`.
fn library(source: &str) -> Vec<u8> {
    let fixture = Fixture::c(&[("fast.c", source)], &["entry", "scored"]);
    let cache = Cache::at(&fixture.root.path().join("cache")).unwrap();
    let built = build::build(&BuildRequest {
        task: &fixture.task,
        overlay: Overlay::Pristine,
        layouts: &[7],
        profile: Profile::detect(),
        cache: &cache,
        progress: &|_| {},
    })
    .unwrap();
    std::fs::read(&built.layouts[0].path).unwrap()
}

/// Whether references lead from `entry` to `scored` in a library of this source.
fn lead(source: &str) -> bool {
    let bytes = library(source);
    let library = References::read(&bytes).unwrap();
    let place = |name| library.exported(name).unwrap();
    library.lead(place("entry"), place("scored"))
}

const SCORED: &str = "
__attribute__((noinline)) int scored(int x) { return x * 3 + 1; }
__attribute__((noinline)) static int copy(int x) { return x * 3 - -1; }
int (*volatile elsewhere)(int) = scored;
";

#[test]
fn calls_jumps_and_tables_lead_somewhere() {
    for entry in [
        "int entry(int x) { return scored(x) + 1; }",
        "int entry(int x) { return scored(x); }",
        "int entry(int x) { return x ? scored(x) : 0; }",
        "__attribute__((noinline)) static int middle(int x) { return scored(x) ^ 5; }
         int entry(int x) { return middle(x) - 1; }",
        "static int (*const table[3])(int) = {copy, scored, 0};
         int entry(int x) { return table[x & 1](x); }",
        "int entry(int x) { return elsewhere(x); }",
        "int other(int x) __attribute__((alias(\"scored\")));
         int entry(int x) { return other(x) + 1; }",
    ] {
        assert!(lead(&format!("{SCORED}{entry}")), "{entry}");
    }
}

#[test]
fn a_copy_of_its_own_leads_past_the_function() {
    for entry in [
        "int entry(int x) { return copy(x) + 1; }",
        "int entry(int x) { return x * 3 + 1; }",
        "static int (*const table[3])(int) = {copy, copy, 0};
         int entry(int x) { return table[x & 1](x); }",
    ] {
        assert!(!lead(&format!("{SCORED}{entry}")), "{entry}");
    }
}

#[test]
fn what_is_no_library_is_refused_in_words() {
    assert!(References::read(b"\x7fELF and nothing more").is_err());
    assert!(References::read(b"").is_err());
}

#[test]
fn without_breakpoints_the_files_decide() {
    let [calls, copies] = ["scored", "copy"]
        .map(|f| library(&format!("{SCORED}int entry(int x) {{ return {f}(x); }}")));
    let decide = |reference: &[u8], candidate: &[u8]| {
        let sides = [reference, candidate].map(|side| References::read(side).unwrap());
        let [reference, candidate] = [0, 1].map(|i: usize| sides[i].exported("scored").unwrap());
        let symbols = [Symbol { name: "scored", reference, candidate }];
        in_files(&["entry"], &symbols, &sides[0], &sides[1])
    };
    assert_eq!(decide(&calls, &calls), Ok(Witness::Elf));
    assert_eq!(decide(&calls, &copies), Err("scored"));
    // An entry that is not seen to call it in the reference proves nothing.
    assert_eq!(decide(&copies, &copies), Ok(Witness::Nobody));
}

#[test]
fn who_saw_that_it_is_missed_is_told() {
    let says = |method| {
        let (entry, reason) = ("entry".to_owned(), None);
        let reached = Reached { entry, method, reason, calls: 1, executions: None };
        missed("f".into(), "scored", "entry", &reached).to_string()
    };
    let breakpoint = says(Witness::Breakpoint);
    assert!(breakpoint.contains("own `entry` never executed `scored` (hardware breakpoint)"));
    let file = says(Witness::Elf);
    assert!(file.contains("own `entry` has no reference to `scored` (library file)"), "{file}");
}

#[test]
fn a_refusal_of_breakpoints_names_its_reason() {
    let kernel = refusal(&io::Error::from_raw_os_error(libc::EACCES));
    assert_eq!(kernel, "no hardware breakpoints: perf_event_open: EACCES");
    assert_eq!(refusal(&io::Error::other("no base")), "no hardware breakpoints: no base");
}
