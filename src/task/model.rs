//! The checked form of a task: what every other room works with. `manifest` makes it from
//! `task.toml`; whoever holds a [`Task`] may rely on every name in it being resolved.

use std::path::PathBuf;

use super::expression::Expr;
use super::known::Known;
use super::own::OwnFill;
use super::prototype::CType;
use super::same::{Rule, Same};

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
    /// `s` against the calibrated prediction bound (the default).
    PassAt,
    /// `s` against the reference solution's own speedup (the paper's rule).
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
    /// Most seconds for all timed blocks of a step.
    pub timing_seconds: u64,
    /// Largest share by which the reference may seem to differ from itself on a machine that grades.
    pub noise: f64,
    /// MiB that a candidate's library may take in memory beyond what the reference's takes.
    pub growth_mb: u64,
    /// Largest share of what a candidate adds that may stand in the upstream tree; none for any.
    pub reuse: Option<f64>,
}

/// One scored unit.
#[derive(Debug, Clone)]
pub struct Function {
    /// Name in the manifest and in reports.
    pub name: String,
    /// C symbols the unit needs, each exported by the library.
    pub symbols: Vec<String>,
    /// Draws in an order in which each can be evaluated after those before it.
    pub draws: Vec<(String, Draw)>,
    /// Every buffer: parameters and material.
    pub buffers: Vec<Buffer>,
    /// Calls that prepare states (`make`), before each call of the unit and outside its clock.
    pub makes: Vec<Call>,
    /// How long they may take, all together, in multiples of the reference's time.
    pub budget: f64,
    /// Calls of the unit, in order, all inside the timed window.
    pub calls: Vec<Call>,
    /// Whether the (last call's) return value is compared.
    pub ret: Ret,
    /// Pairs of buffers that may be the same memory (indices into `buffers`).
    pub alias: Vec<(usize, usize)>,
    /// Buffers that hold secrets.
    pub secret: Vec<usize>,
    /// The function that gives exact values of its floating-point outputs, and the file of the task
    /// (`gen/NAME.c`) that has it.
    pub exact: Option<String>,
    /// Whether a time that depends on them is a failure, where the reference's does not.
    pub constant_time: bool,
    /// The public entry of the library that must reach this one, a function of no step (index into
    /// [`Task::functions`]).
    pub entry: Option<usize>,
    /// Known answers.
    pub known: Vec<Known>,
    /// The file of the task that they are from.
    pub kat: Option<String>,
    /// What is timed.
    pub profiles: Vec<Profile>,
}

impl Function {
    /// Whether right outputs may have other bits than the reference's: they have to be looked at,
    /// a digest does not tell.
    pub fn is_loose(&self) -> bool {
        let written = |b: &&Buffer| matches!(b.role, Role::Out | Role::InOut);
        let outputs = self.buffers.iter().filter(written).map(Buffer::rule);
        let ret = match self.ret {
            Ret::Same(rule) => Some(rule),
            Ret::Void | Ret::Ignore => None,
        };
        outputs.chain(ret).any(|rule| rule.is_loose())
    }
}

/// What becomes of the unit's return value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ret {
    /// Returns nothing.
    Void,
    /// Compared.
    Same(Rule),
    /// Not compared.
    Ignore,
}

/// How a named value is drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Draw {
    /// One of these.
    Choices(Vec<i64>),
    /// Uniform in `from..=to`.
    Range {
        /// Smallest.
        from: i64,
        /// Largest.
        to: i64,
    },
    /// Uniform in the logarithm over `from..=to` (`from` ≥ 1).
    Log {
        /// Smallest.
        from: i64,
        /// Largest.
        to: i64,
    },
    /// Computed from earlier draws.
    Expr(Expr),
}

impl Draw {
    /// Whether it may have this value; what is computed has none of its own.
    pub fn allows(&self, value: i64) -> bool {
        match self {
            Draw::Choices(all) => all.contains(&value),
            Draw::Range { from, to } | Draw::Log { from, to } => (*from..=*to).contains(&value),
            Draw::Expr(_) => false,
        }
    }
}

/// A buffer's part in the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Read only.
    In,
    /// Written only.
    Out,
    /// Read and written.
    InOut,
    /// Opaque, prepared at stage, never compared.
    State,
    /// Read only, and known before the clock starts: what states are made of.
    Material,
}

impl Role {
    /// Whether it has content before the call.
    pub fn is_filled(self) -> bool {
        matches!(self, Role::In | Role::InOut | Role::Material)
    }
}

/// One buffer of a function.
#[derive(Debug, Clone)]
pub struct Buffer {
    /// Parameter (or material) name.
    pub name: String,
    /// Its part in the call.
    pub role: Role,
    /// C type of an element.
    pub elem: CType,
    /// Number of rows for a plane; absent for a flat buffer.
    pub rows: Option<Expr>,
    /// Elements, or elements a row.
    pub cols: Expr,
    /// Elements from one row to the next (planes only; default: `cols`).
    pub stride: Option<Expr>,
    /// How its content is generated (`In`, `InOut`).
    pub fill: Fill,
    /// Declared alignment in bytes; the effective one is at least the natural one.
    pub align: u64,
    /// Valid elements after the call (may use `ret` and `*P`); default: all.
    pub used: Option<Expr>,
    /// Writable elements beyond the extent that the function may touch.
    pub room: Option<Expr>,
    /// Whether bytes that are not valid output must keep their old content.
    pub rest: Rest,
    /// How outputs are compared.
    pub same: Same,
}

impl Buffer {
    /// How its values are compared.
    pub fn rule(&self) -> Rule {
        Rule { elem: self.elem, same: self.same }
    }
}

/// Policy for output bytes outside the valid ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// May hold anything.
    Any,
    /// Must be untouched.
    Kept,
}

/// How a buffer's content is made.
#[derive(Debug, Clone, PartialEq)]
pub enum Fill {
    /// Uniform bytes.
    Bytes,
    /// Uniform integers in `lo..=hi`.
    Int {
        /// Smallest.
        lo: i64,
        /// Largest.
        hi: i64,
    },
    /// Floats in `lo..=hi`; each is a special value (NaN, ±inf, ±0, denormal) with probability `special`.
    Float {
        /// Smallest.
        lo: f64,
        /// Largest.
        hi: f64,
        /// Probability of a special value.
        special: f64,
    },
    /// One of these, drawn anew for each call.
    Any(Vec<Fill>),
    /// Near-duplicates of one base: the same at the ends and at regular distances, so that who
    /// looks at samples of an input takes it for another one.
    Twins(Box<Fill>),
    /// No element below (or above) the one of another buffer at the same place.
    Beside {
        /// Name of the other buffer.
        other: String,
        /// Not below; else not above.
        above: bool,
        /// Bounds of the distance; none for anything.
        by: Option<(f64, f64)>,
    },
    /// By a generator of the task's own.
    Own(Box<OwnFill>),
    /// A built-in generator with its options.
    Gen {
        /// Name.
        name: String,
        /// Options, each a list of numbers (a single number is a list of one).
        options: Vec<(String, Vec<f64>)>,
    },
}

/// One C call.
#[derive(Debug, Clone)]
pub struct Call {
    /// Index into [`Function::symbols`].
    pub symbol: usize,
    /// Arguments in order.
    pub args: Vec<Arg>,
    /// Return type.
    pub ret: CType,
}

/// One argument.
#[derive(Debug, Clone)]
pub enum Arg {
    /// An integer.
    Int {
        /// Its value (draws only).
        value: Expr,
        /// Its C type.
        ctype: CType,
        /// Hidden until the clock starts: no extent depends on it.
        sealed: bool,
    },
    /// A pointer into a buffer.
    Pointer {
        /// Index into [`Function::buffers`].
        buffer: usize,
        /// Offset in elements.
        offset: Expr,
    },
}

/// One distribution of inputs that is timed.
#[derive(Debug, Clone)]
pub struct Profile {
    /// Name.
    pub name: String,
    /// Relative weight.
    pub weight: f64,
    /// Cache state at the start of a call.
    pub cache: Cache,
    /// Whether short calls are chained.
    pub calls: Calls,
    /// Draws that replace the function's, in evaluation order (a full list).
    pub draws: Vec<(String, Draw)>,
    /// Fills that replace a buffer's: (index into `buffers`, fill).
    pub fills: Vec<(usize, Fill)>,
}

/// Where the calls of a profile find their buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cache {
    /// As staging, unsealing and the call before left them.
    Warm,
    /// In the second level, not in the first.
    L2,
    /// In none.
    Cold,
}

/// How the calls of a burst depend on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calls {
    /// The next input is sealed with the digest of the last output (latency).
    Chained,
    /// One key for up to 16 calls (throughput).
    Independent,
}
