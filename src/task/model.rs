//! The checked form of a task: what every other room works with. `manifest` makes it from
//! `task.toml`; whoever holds a [`Task`] may rely on every name in it being resolved.

mod function;

use std::path::PathBuf;

pub use self::function::*;

/// One library and its chain of steps.
#[derive(Debug, Clone)]
pub struct Task {
    /// Folder that holds `task.toml`.
    pub dir: PathBuf,
    /// Short name, also that of the folder under `kernels/` and `baselines/`.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// Where the pristine tree comes from.
    pub source: Source,
    /// What the library does once in each worker, before its first request.
    pub setup: Option<LibrarySetup>,
    /// How both libraries are built.
    pub build: BuildSpec,
    /// Steps in order; cumulative.
    pub steps: Vec<Step>,
    /// Every scored function of every step, in the order of the steps.
    pub functions: Vec<Function>,
    /// The rule that decides `fast`.
    pub decide: Decide,
    /// Bounds on a grading.
    pub limits: Limits,
}

/// One step of a task: the family of functions to make faster.
#[derive(Debug, Clone)]
pub struct Step {
    /// Identifier such as `01-resizing`.
    pub id: String,
    /// Indices into [`Task::functions`].
    pub functions: Vec<usize>,
}

/// A call that the library wants once in each worker, before its first request: the only one that
/// can read files.
#[derive(Debug, Clone)]
pub struct LibrarySetup {
    /// The function, `int NAME(const char *data)`, exported by the library. It gives 0 unless it
    /// failed.
    pub symbol: String,
    /// Folder of the task that it may read, relative to the task's; none for no files.
    pub data: Option<String>,
    /// How long it may take, loading included, in multiples of the reference's time.
    pub budget: f64,
}

/// Where the pristine tree comes from.
#[derive(Debug, Clone)]
pub struct Source {
    /// The place.
    pub origin: Origin,
    /// Folder inside the package that becomes the tree (`.` for all of it).
    pub root: String,
    /// Folder of the tree that it becomes (`.` for the tree itself).
    pub into: String,
    /// More packages of crates.io that are parts of the tree.
    pub also: Vec<Part>,
    /// What a workspace must never hold.
    pub strip: Vec<Strip>,
    /// Our own files put on top of the tree (relative to the task's folder), by file name.
    pub shim: Vec<String>,
    /// A folder of the task whose files are put on top of the tree, each at its place.
    pub overlay: Option<String>,
    /// Files of the task that go where they are in its folder: own code, in the oracle's library.
    pub own: Vec<String>,
}

/// A package of crates.io that becomes a folder of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Package name.
    pub name: String,
    /// Exact version.
    pub version: String,
    /// sha256 of the package file, lower-case hex.
    pub sha256: String,
    /// Folder inside the package (`.` for all of it).
    pub root: String,
    /// Folder of the tree that it becomes.
    pub into: String,
}

/// The place a source comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A folder of the task itself.
    Tree(String),
    /// A package of a registry, pinned.
    Package {
        /// Which registry.
        registry: Registry,
        /// Package name.
        name: String,
        /// Exact version.
        version: String,
        /// sha256 of the package file, lower-case hex.
        sha256: String,
    },
}

/// The registries a source may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registry {
    /// crates.io, fetched by cargo with the task's committed lock.
    Crate,
    /// PyPI (not supported yet).
    Pypi,
    /// Debian source packages (not supported yet).
    Debian,
}

/// Something that is cut from the upstream tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Strip {
    /// Whole files that match a glob.
    Files(String),
    /// Marked sections of one file, both marker lines included. `from` and `to` are line globs:
    /// a `*` in `to` must match the same text as the one in `from`.
    Section {
        /// File inside the tree.
        file: String,
        /// Glob of the first line of a section.
        from: String,
        /// Glob of its last line.
        to: String,
    },
}

/// How both sides are built.
#[derive(Debug, Clone)]
pub struct BuildSpec {
    /// Language of the library.
    pub lang: Lang,
    /// Compiler flags, both sides.
    pub flags: Vec<String>,
    /// Globs of the files to compile, relative to the tree.
    pub sources: Vec<String>,
    /// Globs of the files a workspace may change or add.
    pub editable: Vec<String>,
    /// Folders of headers, relative to the tree, in search order (`include` of the task always).
    pub include: Vec<String>,
    /// Flags for some files only.
    pub overrides: Vec<FileFlags>,
    /// What a source may do that is forbidden by default.
    pub permit: Vec<Permit>,
}

/// Something that a candidate may do only where the task says so (`permit` in `[build]`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permit {
    /// Pragmas and attributes that set optimisation options (`#pragma GCC optimize`).
    Optimize,
    /// Pragmas and attributes that change floating-point arithmetic (`#pragma STDC FP_CONTRACT`,
    /// `optimize("fast-math")`).
    FloatingPoint,
    /// More functions that run when the library is loaded than the reference has.
    Constructors,
    /// More functions that are chosen by code that runs when the library is loaded (IFUNC,
    /// `target_clones`) than the reference has.
    Ifunc,
}

impl Permit {
    /// All of them.
    pub const ALL: [Permit; 4] =
        [Permit::Optimize, Permit::FloatingPoint, Permit::Constructors, Permit::Ifunc];

    /// Its name in the manifest.
    pub fn name(self) -> &'static str {
        match self {
            Permit::Optimize => "optimize",
            Permit::FloatingPoint => "floating-point",
            Permit::Constructors => "constructors",
            Permit::Ifunc => "ifunc",
        }
    }
}

/// Language of a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lang {
    /// C (and `.S`).
    C,
    /// C++ (and C, `.S`).
    Cxx,
    /// Rust: a workspace whose root package is a `staticlib`.
    Rust,
}

/// Per-file compiler flags (`[[build.for]]`).
#[derive(Debug, Clone)]
pub struct FileFlags {
    /// Globs relative to the tree.
    pub files: Vec<String>,
    /// Added flags.
    pub flags: Vec<String>,
}

/// The rule that decides `fast`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decide {
    /// `s` against the reference solution's, less the guard (the default).
    PassAt,
    /// `s` against the reference solution's own speedup (the strict rule).
    SRef,
}

/// Bounds on a grading.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Seconds a whole grading may take, builds excluded.
    pub grade_seconds: u64,
    /// Seconds one build may take.
    pub build_seconds: u64,
    /// Resident memory of one worker, MiB.
    pub memory_mb: u64,
    /// Most seconds for a step's contest, and as many again for the duel with its solution.
    pub timing_seconds: u64,
    /// Largest share by which the reference may seem to differ from itself on a machine that grades.
    pub noise: f64,
    /// MiB that a candidate's library may take in memory beyond what the reference's takes.
    pub growth_mb: u64,
    /// Largest share of what a candidate adds that may stand in the upstream tree; none for any.
    pub reuse: Option<f64>,
}
