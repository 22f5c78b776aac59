//! `task.toml` with anything in it: a task, or a list of what is wrong that can be shown.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use miette::GraphicalReportHandler;
use speedgate::task::Task;

/// A folder with what manifests commonly name.
static DIR: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for folder in ["src", "gen", "drivers"] {
        std::fs::create_dir(dir.path().join(folder)).expect("makes a folder");
    }
    std::fs::write(dir.path().join("shim.cpp"), "").expect("writes");
    dir
});

fuzz_target!(|text: &str| {
    let dir: &Path = DIR.path();
    if let Err(error) = Task::parse(dir, text) {
        // Places in the file must be places of the file.
        let mut shown = String::new();
        GraphicalReportHandler::new().render_report(&mut shown, &error).expect("can be shown");
    }
});
