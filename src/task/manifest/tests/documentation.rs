//! What is published about the format is true.

use std::fs;
use std::path::Path;

use crate::task::lint::{Severity, lint};
use crate::task::manifest::schema::schema;
use crate::task::{Task, find};

const GUIDE: &str = include_str!("../../../../docs/TASKS.md");

/// Writes the files of the guide's example, each under the names in the comments before its block.
fn example(root: &Path) -> usize {
    let mut names: Vec<&str> = Vec::new();
    let mut body: Option<String> = None;
    let mut written = 0;
    for line in GUIDE.lines() {
        let name = line.strip_prefix("<!-- file: ").and_then(|l| l.strip_suffix(" -->"));
        if let Some(name) = name {
            names.push(name);
        } else if line.starts_with("```") {
            match body.take() {
                None => body = Some(String::new()),
                Some(text) => {
                    for name in names.drain(..) {
                        let path = root.join(name);
                        fs::create_dir_all(path.parent().unwrap()).unwrap();
                        fs::write(path, &text).unwrap();
                        written += 1;
                    }
                }
            }
        } else if let Some(text) = &mut body {
            text.push_str(line);
            text.push('\n');
        }
    }
    written
}

#[test]
fn the_example_of_the_guide_is_a_complete_task() {
    let root = tempfile::tempdir().unwrap();
    assert_eq!(example(root.path()), 9);
    let task = Task::load(&find(root.path(), "bytes").unwrap()).unwrap();
    assert_eq!(task.functions.len(), 2);
    let findings = lint(&task);
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(
        (findings[0].severity, &*findings[0].place),
        (Severity::Warning, "calibration.toml")
    );
}

#[test]
fn the_solutions_of_the_guide_compute_what_the_library_does() {
    let root = tempfile::tempdir().unwrap();
    example(root.path());
    let main = r#"
        #include <stdio.h>
        #include <stdlib.h>
        #include "bytes.h"
        int main(void) {
            static uint8_t in[4096], out[4096];
            unsigned seed = 1, sum = 0;
            for (int i = 0; i < 4096; i++) in[i] = (seed = seed * 1103515245 + 12345) >> 16;
            for (size_t n = 0; n < 300; n++) sum = sum * 31 + (unsigned)bytes_count(in, n, in[n]);
            for (size_t n = 0; n < 300; n++) {
                bytes_upper(in + n, 1000 + n, out);
                for (size_t i = 0; i < 1000 + n; i++) sum = sum * 31 + out[i];
            }
            printf("%u", sum);
        }"#;
    fs::write(root.path().join("main.c"), main).unwrap();
    let run = |folder: &str| {
        let program = root.path().join("program");
        let path = |p: &str| root.path().join(p);
        let built = std::process::Command::new("cc")
            .args(["-std=c11", "-O2", "-I"])
            .arg(path("kernels/bytes/include"))
            .args([path("main.c"), path(folder).join("count.c"), path(folder).join("case.c")])
            .arg("-o")
            .arg(&program)
            .status()
            .expect("a C compiler, which speedgate needs anyway");
        assert!(built.success());
        String::from_utf8(std::process::Command::new(program).output().unwrap().stdout).unwrap()
    };
    let portable = run("kernels/bytes/src");
    assert!(!portable.is_empty());
    assert_eq!(run("baselines/bytes/02-case"), portable);
}

/// `UPDATE_SCHEMA=1 cargo test the_published_schema` writes the file anew.
#[test]
fn the_published_schema_is_that_of_the_manifest() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/task.schema.json");
    let generated = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        fs::write(&path, &generated).unwrap();
    }
    let published = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(published, generated, "run UPDATE_SCHEMA=1 cargo test the_published_schema");
}
