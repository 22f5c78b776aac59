//! The tasks of this repository go through the same doors as anybody's.

use super::*;
use crate::task::source::SourceError;
use std::path::Path;

fn load(name: &str) -> Task {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels").join(name);
    Task::load(&dir).expect("a task of this repository loads")
}

#[test]
fn the_simd_task_builds_and_so_does_each_solution_of_it() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let cache = Cache::at(&dir.path().join("cache")).expect("opens");
    let task = load("simd");
    let steps = (0..task.steps.len()).map(|step| Overlay::Solution { step });
    let mut hashes = std::collections::BTreeSet::new();
    for overlay in std::iter::once(Overlay::Pristine).chain(steps.clone()) {
        let built = build(&BuildRequest {
            task: &task,
            overlay,
            layouts: &[1, 2],
            profile: Profile::detect(),
            cache: &cache,
            progress: &|_| {},
        })
        .expect("builds");
        hashes.insert(built.layouts[0].sha256.clone());
    }
    assert_eq!(hashes.len(), task.steps.len() + 1, "each solution differs from all others");
}

/// Vector intrinsics of x86, Arm and the others, as the compilers' headers spell them.
const INTRINSICS: [&str; 6] = ["_mm_", "_mm256_", "_mm512_", "vld1q_", "__riscv_vle", "__lsx_"];

/// The tree that everybody starts from, unless its source isn't served today.
fn pristine(task: &Task, cache: &Cache) -> Option<Files> {
    match tree::assemble(task, Overlay::Pristine, cache) {
        Err(TreeError::Source(error @ SourceError::NotServed { .. })) => {
            eprintln!("SKIPPED: {error}");
            None
        }
        tree => Some(tree.expect("assembles").files),
    }
}

fn holds(files: &Files, what: &str) -> bool {
    files.0.iter().any(|(_, text)| String::from_utf8_lossy(text).contains(what))
}

#[test]
fn the_simdutf_workspace_holds_no_intrinsic_and_its_solutions_do() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let cache = Cache::at(&dir.path().join("cache")).expect("opens");
    let task = load("simdutf");
    let Some(pristine) = pristine(&task, &cache) else { return };
    for what in INTRINSICS {
        assert!(!holds(&pristine, what), "{what}");
    }
    for step in 0..task.steps.len() {
        let solved = tree::assemble(&task, Overlay::Solution { step }, &cache);
        let solved = solved.expect("assembles").files;
        assert!(holds(&solved, "_mm256_"), "step {step}");
        assert!(!holds(&solved, "_mm512_"), "only what the recipe takes");
    }
}

#[test]
fn the_mlkem_workspace_holds_neither_intrinsic_nor_assembly() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let cache = Cache::at(&dir.path().join("cache")).expect("opens");
    let task = load("mlkem");
    let Some(pristine) = pristine(&task, &cache) else { return };
    for what in INTRINSICS.iter().chain(&["vpmulhw", "sqdmulh"]) {
        assert!(!holds(&pristine, what), "{what}");
    }
    let assembly = pristine.0.keys().find(|name| name.ends_with(".S"));
    assert_eq!(assembly, None, "a fast kernel of upstream");
}

#[test]
fn the_vortex_workspace_holds_no_kernel_and_its_solutions_are_fine_to_build() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let cache = Cache::at(&dir.path().join("cache")).expect("opens");
    let task = load("vortex");
    let Some(pristine) = pristine(&task, &cache) else { return };
    for what in
        INTRINSICS.iter().chain(&["_pdep_u64", "_pext_u64", "target_feature(", "fearless_simd"])
    {
        assert!(!holds(&pristine, what), "{what}");
    }
    let rust = rust::Workspace::read(&pristine).expect("a workspace");
    assert_eq!(rust.library, "vortex_shim");
    for step in 0..task.steps.len() {
        let solved = tree::assemble(&task, Overlay::Solution { step }, &cache);
        let solved = solved.expect("assembles").files;
        assert_eq!(rust::scan::refusal(&solved, &pristine), None, "step {step}");
        let changed = solved.0.iter().filter(|(name, text)| pristine.0.get(*name) != Some(text));
        assert!(changed.clone().count() > step, "step {step}");
        assert!(changed.clone().all(|(name, _)| !rust.decides(name)), "step {step}");
    }
}
