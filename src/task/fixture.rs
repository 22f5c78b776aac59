//! A small task of one's own, for tests: a folder that goes away, and the checked form of it.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::Same;
use super::expression::Expr;
use super::model::*;
use super::prototype::CType;

/// A root folder with `kernels/<name>` and room for `baselines/<name>`, and a cache beside.
pub struct Fixture {
    /// Goes away when dropped.
    pub root: TempDir,
    /// The task.
    pub task: Task,
}

impl Fixture {
    /// A C task whose tree holds `files`, with one step and the exported `symbols`.
    pub fn c(files: &[(&str, &str)], symbols: &[&str]) -> Fixture {
        let root = tempfile::tempdir().expect("temporary folder");
        let dir = root.path().join("kernels/toy");
        fs::create_dir_all(dir.join("include")).expect("makes folders");
        let task = Task {
            dir: dir.clone(),
            name: "toy".to_owned(),
            title: "a toy".to_owned(),
            source: Source {
                origin: Origin::Tree("src".to_owned()),
                root: ".".to_owned(),
                strip: Vec::new(),
                into: ".".to_owned(),
                also: Vec::new(),
                shim: Vec::new(),
                overlay: None,
                own: Vec::new(),
            },
            setup: None,
            build: BuildSpec {
                lang: Lang::C,
                flags: vec!["-O2".to_owned()],
                sources: vec!["*.c".to_owned(), "more/**/*.c".to_owned(), "*.S".to_owned()],
                editable: vec!["fast*.c".to_owned(), "more/**".to_owned()],
                include: Vec::new(),
                overrides: Vec::new(),
                permit: Vec::new(),
            },
            steps: vec![Step { id: "01-one".to_owned(), functions: (0..symbols.len()).collect() }],
            functions: symbols.iter().map(|s| function(s)).collect(),
            decide: Decide::PassAt,
            limits: Limits {
                grade_seconds: 60,
                build_seconds: 60,
                memory_mb: 256,
                timing_seconds: 40,
                noise: 0.1,
                growth_mb: 4,
                reuse: None,
            },
        };
        let fixture = Fixture { root, task };
        fixture.put("kernels/toy/include/toy.h", "/* the contract */\n");
        for (name, text) in files {
            fixture.put(&format!("kernels/toy/src/{name}"), text);
        }
        fixture
    }

    /// Writes a file below the root and returns its path.
    pub fn put(&self, name: &str, text: &str) -> PathBuf {
        put(&self.root.path().join(name), text);
        self.root.path().join(name)
    }
}

/// Writes a file and the folders above it.
pub fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("has a parent")).expect("makes folders");
    fs::write(path, text).expect("writes");
}

fn function(symbol: &str) -> Function {
    Function {
        exact: None,
        name: symbol.to_owned(),
        symbols: vec![symbol.to_owned()],
        draws: Vec::new(),
        buffers: Vec::new(),
        makes: Vec::new(),
        budget: 1.5,
        calls: Vec::new(),
        ret: Ret::Void,
        alias: Vec::new(),
        secret: Vec::new(),
        constant_time: false,
        entry: None,
        kat: None,
        known: Vec::new(),
        profiles: Vec::new(),
    }
}

/// A buffer of so many bytes in one row, of anything, compared bit for bit.
pub fn buffer(name: &str, role: Role, bytes: &str) -> Buffer {
    Buffer {
        name: name.to_owned(),
        role,
        elem: CType::Uint(1),
        rows: None,
        cols: Expr::parse(bytes).expect("parses"),
        stride: None,
        fill: Fill::Bytes,
        align: 1,
        used: None,
        room: None,
        rest: Rest::Any,
        same: Same::Bits,
    }
}
