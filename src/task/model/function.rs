//! A scored unit: its calls, what they take and give, and the sizes at which it is timed.

use crate::task::expression::Expr;
use crate::task::known::Known;
use crate::task::own::OwnFill;
use crate::task::prototype::CType;
use crate::task::same::{Rule, Same};

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
    /// [`Task::functions`](super::Task::functions)).
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
