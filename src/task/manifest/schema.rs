//! Shapes of the values that `loose` reads, for the JSON schema only, and the schema itself.
#![allow(dead_code, reason = "these types are never built, only described")]

use indexmap::IndexMap;
use schemars::JsonSchema;

/// The JSON schema of `task.toml`.
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(super::raw::Manifest)
}

/// A string, or a list of strings.
#[derive(JsonSchema)]
#[serde(untagged)]
pub(crate) enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

/// An integer, or an expression of draws and scalars with `+ - * / %`, `min`, `max`.
#[derive(JsonSchema)]
#[serde(untagged)]
pub(crate) enum Expression {
    Number(i64),
    Text(String),
}

/// A number of elements, or `[rows, columns]`.
#[derive(JsonSchema)]
#[serde(untagged)]
pub(crate) enum Extent {
    Flat(Expression),
    Plane([Expression; 2]),
}

/// How an integer is drawn.
#[derive(JsonSchema)]
#[serde(untagged)]
pub(crate) enum Draw {
    /// Always this, or computed from other draws.
    Computed(Expression),
    /// One of these.
    Choices(Vec<i64>),
    /// Uniform in `from..=to`.
    Range(Range),
    /// Uniform in the logarithm.
    Log(Log),
}

#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Range {
    from: i64,
    to: i64,
}

#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Log {
    log: [i64; 2],
}

/// What a parameter is.
#[derive(JsonSchema)]
#[serde(untagged)]
pub(crate) enum Arg {
    Scalar(Expression),
    Buffer(Box<super::raw::BufferTable>),
}

/// How content is made.
#[derive(JsonSchema)]
#[serde(untagged)]
pub(crate) enum Fill {
    Bytes(Bytes),
    Int(Int),
    Float(Float),
    Twins(Twins),
    Above(Above),
    Below(Below),
    Gen(Gen),
    /// One of these, drawn anew for each call.
    Any(Vec<Fill>),
}

/// Near-duplicates of one base: the same at both ends and at every sixteenth element.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Twins {
    twins: Box<Fill>,
}

/// No element below that of another buffer at the same place.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Above {
    above: String,
    /// Bounds of the distance (default: anything).
    by: Option<[f64; 2]>,
}

/// No element above that of another buffer at the same place.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Below {
    below: String,
    /// Bounds of the distance (default: anything).
    by: Option<[f64; 2]>,
}

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Bytes {
    /// Uniform bytes.
    Bytes,
}

/// Uniform integers in `[lowest, highest]`.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Int {
    int: [i64; 2],
}

/// Floats in `[lowest, highest]`, each a special value with probability `special`.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Float {
    float: [f64; 2],
    special: Option<f64>,
}

/// A named generator and its options.
#[derive(JsonSchema)]
pub(crate) struct Gen {
    r#gen: String,
    #[serde(flatten)]
    options: IndexMap<String, NumberOrNumbers>,
}

#[derive(JsonSchema)]
#[serde(untagged)]
pub(crate) enum NumberOrNumbers {
    One(f64),
    Many(Vec<f64>),
}

/// How outputs are compared.
#[derive(JsonSchema)]
#[serde(untagged)]
pub(crate) enum Same {
    Word(SameWord),
    Mod(Mod),
    Near(Near),
}

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SameWord {
    Bits,
    Ignore,
}

/// Congruent modulo `mod`, each value in `within`.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mod {
    r#mod: i64,
    within: [i64; 2],
}

/// Within a tolerance: whichever bound is met suffices. Special values must be the same unless a
/// policy says otherwise.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Near {
    /// Largest difference.
    abs: Option<f64>,
    /// Largest difference as a share of the reference's value.
    rel: Option<f64>,
    /// Largest number of steps from one representable value to the next.
    ulp: Option<u64>,
    /// Largest error against the exact value, in multiples of the reference's own largest one.
    times: Option<f64>,
    /// Any NaN equals any NaN.
    nan: Option<bool>,
    /// +0 equals −0.
    zero: Option<bool>,
    /// Subnormal values count as zeros.
    subnormal: Option<bool>,
    /// An infinity counts as the value after the largest finite one.
    infinity: Option<bool>,
}

/// One distribution of inputs that is timed. Further keys are draws (a value or a draw) and
/// buffers (a fill), which replace the function's own.
#[derive(JsonSchema)]
pub(crate) struct Profile {
    /// Relative weight (default 1).
    weight: Option<f64>,
    /// Cache state at the start of a call.
    cache: Option<Cache>,
    /// How short calls follow each other.
    calls: Option<Calls>,
    /// Draws, also those that are called like one of the keys above.
    draw: Option<IndexMap<String, Draw>>,
    /// Buffers, also those that are called like one of the keys above.
    args: Option<IndexMap<String, Fill>>,
    #[serde(flatten)]
    overrides: IndexMap<String, Override>,
}

#[derive(JsonSchema)]
#[serde(untagged)]
pub(crate) enum Override {
    Draw(Draw),
    Fill(Fill),
}

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Cache {
    Warm,
    L2,
    Cold,
}

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Calls {
    Chained,
    Independent,
}

/// How a return value is compared.
#[derive(JsonSchema)]
#[serde(untagged)]
pub(crate) enum Ret {
    Word(RetWord),
    Mod(Mod),
    Near(Near),
}

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RetWord {
    /// Bit for bit.
    Same,
    /// Not compared.
    Ignore,
}

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Rest {
    Any,
    Kept,
}

#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Decide {
    PassAt,
    SRef,
}

#[derive(JsonSchema)]
pub(crate) enum Lang {
    #[serde(rename = "c")]
    C,
    #[serde(rename = "c++")]
    Cxx,
    #[serde(rename = "rust")]
    Rust,
}

#[derive(JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Permit {
    Optimize,
    FloatingPoint,
    Constructors,
    Ifunc,
}
