//! The whole vocabulary, on the worked examples and on small variations of one task.

mod documentation;
mod entries;
mod errors;
mod examples;

use std::path::Path;

use tempfile::TempDir;

use crate::task::{Task, TaskError};

/// A folder with the files that the manifests below name.
fn folder() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for sub in ["src", "gen", "drivers"] {
        std::fs::create_dir(dir.path().join(sub)).unwrap();
    }
    let generator = "/* not gen_ldpc_llr(this) */\n\
        void gen_ldpc_llr(uint64_t seed, int8_t *out, size_t len, int z, const double *snr_db)\n{\n}\n";
    for (file, text) in
        [("shim.cpp", ""), ("gen/ldpc_llr.c", generator), ("gen/e.c", ""), ("drivers/f.c", "")]
    {
        std::fs::write(dir.path().join(file), text).unwrap();
    }
    dir
}

const HEAD: &str = r#"[task]
name = "t"
title = "A task"

[source]
tree = "src"

[build]
lang = "c"
flags = ["-O3"]
sources = ["*.c"]
editable = ["*.c"]
"#;

/// A task of one step with one function.
fn one(function: &str) -> String {
    let name = function.split_once("[function.").and_then(|(_, r)| r.split_once(']')).unwrap().0;
    format!("{HEAD}\n[[step]]\nid = \"01-a\"\nfunctions = [\"{name}\"]\n\n{function}")
}

fn parse(text: &str) -> Result<Task, TaskError> {
    Task::parse(folder().path(), text)
}

/// The error as people see it, with the temporary folder cut off.
fn shown(text: &str) -> String {
    let dir = folder();
    let error = Task::parse(dir.path(), text).expect_err("the manifest is wrong");
    let mut out = String::new();
    miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor())
        .with_width(100)
        .render_report(&mut out, &error)
        .unwrap();
    out.replace(&format!("{}/", dir.path().display()), "")
}

fn load(path: &Path) -> Result<Task, TaskError> {
    Task::load(path)
}
