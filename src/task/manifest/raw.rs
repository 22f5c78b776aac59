//! The shape of `task.toml`, before anything in it is checked. The published JSON schema is made
//! from these types.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor, value::MapAccessDeserializer};
use toml::Spanned;

use super::loose::{Loose, Table};
use super::schema;

/// A speedgate task: one library, and the chain of steps that make it faster.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "speedgate task.toml")]
pub(crate) struct Manifest {
    /// What the task is called.
    pub(super) task: TaskTable,
    /// Where the starting library comes from.
    #[schemars(with = "SourceTable")]
    pub(super) source: Spanned<SourceTable>,
    /// What the library does once in each worker, before its first request.
    #[serde(default)]
    pub(super) setup: Option<SetupTable>,
    /// How both libraries are built.
    #[schemars(with = "BuildTable")]
    pub(super) build: Spanned<BuildTable>,
    /// How `fast` is decided.
    #[serde(default)]
    pub(super) verdict: VerdictTable,
    /// Bounds on a grading.
    #[serde(default)]
    pub(super) limits: LimitsTable,
    /// The steps, in order. They are cumulative.
    #[serde(default)]
    pub(super) step: Vec<StepTable>,
    /// The scored functions, by name.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, FunctionTable>")]
    pub(super) function: IndexMap<Spanned<String>, Spanned<FunctionTable>>,
}

/// What the task is called.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TaskTable {
    /// Short name, the same as the folder's.
    #[schemars(with = "String", regex(pattern = "^[a-z0-9][a-z0-9_-]*$"))]
    pub(super) name: Spanned<String>,
    /// One line for people.
    pub(super) title: String,
}

/// Where the starting library comes from: exactly one of `tree`, `crate`, `pypi`, `debian`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SourceTable {
    /// A folder of the task.
    #[schemars(with = "Option<String>")]
    pub(super) tree: Option<Spanned<String>>,
    /// A package of crates.io.
    #[serde(rename = "crate")]
    #[schemars(with = "Option<String>")]
    pub(super) krate: Option<Spanned<String>>,
    /// A package of PyPI (not supported yet).
    #[schemars(with = "Option<String>")]
    pub(super) pypi: Option<Spanned<String>>,
    /// A Debian source package (not supported yet).
    #[schemars(with = "Option<String>")]
    pub(super) debian: Option<Spanned<String>>,
    /// Exact version of the package.
    #[schemars(with = "Option<String>")]
    pub(super) version: Option<Spanned<String>>,
    /// sha256 of the package file, 64 hex digits.
    #[schemars(with = "Option<String>", regex(pattern = "^[0-9a-fA-F]{64}$"))]
    pub(super) sha256: Option<Spanned<String>>,
    /// Folder inside the package that becomes the tree (default: all of it).
    #[schemars(with = "Option<String>")]
    pub(super) root: Option<Spanned<String>>,
    /// Folder of the tree that it becomes (default: the tree itself).
    #[schemars(with = "Option<String>")]
    pub(super) into: Option<Spanned<String>>,
    /// More packages of crates.io that are parts of the tree.
    #[serde(default)]
    pub(super) also: Vec<PartTable>,
    /// What is cut from the tree because a workspace must never hold it.
    #[serde(default)]
    #[schemars(with = "Vec<StripTable>")]
    pub(super) strip: Vec<Spanned<StripTable>>,
    /// Files of the task that are put on top of the tree.
    #[schemars(with = "Option<schema::OneOrMany>")]
    pub(super) shim: Option<Spanned<Loose>>,
    /// A folder of the task whose files are put on top of the tree, each at its place.
    #[schemars(with = "Option<String>")]
    pub(super) overlay: Option<Spanned<String>>,
}

/// A package of crates.io that becomes a folder of the tree.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PartTable {
    /// Its name.
    #[serde(rename = "crate")]
    #[schemars(with = "String")]
    pub(super) krate: Spanned<String>,
    /// Exact version.
    #[schemars(with = "String")]
    pub(super) version: Spanned<String>,
    /// sha256 of the package file, 64 hex digits.
    #[schemars(with = "String", regex(pattern = "^[0-9a-fA-F]{64}$"))]
    pub(super) sha256: Spanned<String>,
    /// Folder inside the package (default: all of it).
    #[schemars(with = "Option<String>")]
    pub(super) root: Option<Spanned<String>>,
    /// Folder of the tree that it becomes.
    #[schemars(with = "String")]
    pub(super) into: Spanned<String>,
}

/// Whole files (`files`), or marked sections of one file (`file`, `from`, `to`).
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StripTable {
    /// Glob of files to remove.
    #[schemars(with = "Option<String>")]
    pub(super) files: Option<Spanned<String>>,
    /// A file that loses sections.
    #[schemars(with = "Option<String>")]
    pub(super) file: Option<Spanned<String>>,
    /// Glob of a section's first line.
    #[schemars(with = "Option<String>")]
    pub(super) from: Option<Spanned<String>>,
    /// Glob of its last line; a `*` stands for the same text as in `from`.
    #[schemars(with = "Option<String>")]
    pub(super) to: Option<Spanned<String>>,
}

/// What the library does once in each worker, before its first request: the only time that it can
/// read files.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetupTable {
    /// A function that the library exports: `int NAME(const char *data)`, 0 unless it failed.
    #[schemars(with = "String")]
    pub(super) call: Spanned<String>,
    /// Folder of the task whose files are there to be read.
    #[schemars(with = "Option<String>")]
    pub(super) data: Option<Spanned<String>>,
    /// Time it may take, loading included, relative to the reference's own (default 1.5).
    #[schemars(with = "Option<f64>")]
    pub(super) budget: Option<Spanned<f64>>,
}

/// How both libraries are built.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BuildTable {
    /// `"c"`, `"c++"` or `"rust"`.
    #[schemars(with = "schema::Lang")]
    pub(super) lang: Spanned<String>,
    /// Compiler flags for every file.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub(super) flags: Vec<Spanned<String>>,
    /// Globs of the files to compile; new editable files that match are compiled too. (In Rust
    /// the manifests of the crates say so.)
    #[schemars(with = "Option<Vec<String>>")]
    pub(super) sources: Option<Spanned<Vec<Spanned<String>>>>,
    /// Globs of the files that a workspace may change or add.
    #[schemars(with = "Vec<String>")]
    pub(super) editable: Spanned<Vec<Spanned<String>>>,
    /// Folders of headers inside the tree (the task's own `include` always counts).
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub(super) include: Vec<Spanned<String>>,
    /// Flags for some files only.
    #[serde(default, rename = "for")]
    pub(super) overrides: Vec<ForTable>,
    /// What a source may do that is forbidden by default: `"optimize"`, `"floating-point"`,
    /// `"constructors"`, `"ifunc"`.
    #[serde(default)]
    #[schemars(with = "Vec<schema::Permit>")]
    pub(super) permit: Vec<Spanned<String>>,
}

/// Flags for some files only.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForTable {
    /// Glob or globs of the files.
    #[schemars(with = "schema::OneOrMany")]
    pub(super) files: Spanned<Loose>,
    /// Flags added after the common ones.
    #[schemars(with = "Vec<String>")]
    pub(super) flags: Vec<Spanned<String>>,
}

/// How `fast` is decided.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerdictTable {
    /// `"pass_at"` (default) or `"s_ref"`.
    #[schemars(with = "Option<schema::Decide>")]
    pub(super) decide: Option<Spanned<String>>,
}

/// Bounds on a grading.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LimitsTable {
    /// Seconds for a whole grading, builds excluded (default 600).
    #[schemars(with = "Option<u64>", range(min = 1))]
    pub(super) grade_seconds: Option<Spanned<u64>>,
    /// Seconds for one build (default 300).
    #[schemars(with = "Option<u64>", range(min = 1))]
    pub(super) build_seconds: Option<Spanned<u64>>,
    /// Resident memory of one worker in MiB (default 1024).
    #[schemars(with = "Option<u64>", range(min = 1))]
    pub(super) memory_mb: Option<Spanned<u64>>,
    /// Most seconds that timing a step may take (default 40), and as many again where the reference
    /// solution takes the reference's place. It can only shorten the engine's own budgets; the fewest
    /// replicates are timed in any case.
    #[schemars(with = "Option<u64>", range(min = 1))]
    pub(super) timing_seconds: Option<Spanned<u64>>,
    /// Largest share by which the reference may seem to differ from itself in a grading's control
    /// (default 0.2): on a machine with more noise nothing is graded.
    #[schemars(with = "Option<f64>", range(min = 0.001, max = 1))]
    pub(super) noise: Option<Spanned<f64>>,
    /// MiB that a candidate's library may take in memory beyond what the reference's takes, code
    /// and data together (default 4).
    #[schemars(with = "Option<u64>", range(min = 1))]
    pub(super) growth_mb: Option<Spanned<u64>>,
    /// Largest share of what a workspace adds that may stand in the upstream library, word for word
    /// or with other names (default: any).
    #[schemars(with = "Option<f64>", range(min = 0, max = 1))]
    pub(super) reuse: Option<Spanned<f64>>,
}

/// One step.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StepTable {
    /// Identifier such as `01-resizing`.
    #[schemars(with = "String", regex(pattern = "^[a-z0-9][a-z0-9_-]*$"))]
    pub(super) id: Spanned<String>,
    /// Names of the functions that this step scores.
    #[schemars(with = "Vec<String>")]
    pub(super) functions: Spanned<Vec<Spanned<String>>>,
}

/// One scored function.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FunctionTable {
    /// Its C prototype, or several; parameter names are the names used below.
    #[schemars(with = "schema::OneOrMany")]
    pub(super) c: Spanned<Loose>,
    /// Named integers that are drawn anew for each call.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, schema::Draw>")]
    pub(super) draw: Table,
    /// What each parameter is: an expression, or a buffer.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, schema::Arg>")]
    pub(super) args: IndexMap<Spanned<String>, Spanned<Arg>>,
    /// The unit's calls, when it is several.
    #[schemars(with = "Option<Vec<String>>")]
    pub(super) calls: Option<Spanned<Vec<Spanned<String>>>>,
    /// How the return value is compared: `"same"` (default), `"ignore"`, or as an output's `same`.
    #[schemars(with = "Option<schema::Ret>")]
    pub(super) ret: Option<Spanned<Loose>>,
    /// Gives exact values of the floating-point outputs: `gen/NAME.c` with a function of this name
    /// and the same parameters, which writes `double` for `float` and `long double` for `double`.
    #[schemars(with = "Option<String>")]
    pub(super) exact: Option<Spanned<String>>,
    /// Pairs of buffers that may be the same memory.
    #[serde(default)]
    #[schemars(with = "Vec<[String; 2]>")]
    pub(super) alias: Vec<Spanned<Vec<Spanned<String>>>>,
    /// Buffers that hold secrets.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub(super) secret: Vec<Spanned<String>>,
    /// Whether a time that depends on a secret is a failure (default: it is only told).
    #[schemars(with = "Option<bool>")]
    pub(super) constant_time: Option<Spanned<bool>>,
    /// The library's public entry that calls this function: another function, in no step.
    #[schemars(with = "Option<String>")]
    pub(super) entry: Option<Spanned<String>>,
    /// File of known answers.
    #[schemars(with = "Option<String>")]
    pub(super) kat: Option<Spanned<String>>,
    /// What is timed.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, schema::Profile>")]
    pub(super) profile: IndexMap<Spanned<String>, Spanned<Table>>,
    /// A hand-written driver, the last resort (not supported yet).
    #[schemars(with = "Option<String>")]
    pub(super) driver: Option<Spanned<String>>,
}

/// An entry of `args`.
#[derive(Debug)]
pub(crate) enum Arg {
    Scalar(Loose),
    Buffer(Box<BufferTable>),
}

impl<'de> Deserialize<'de> for Arg {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Arg;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("an expression, or a table that describes a buffer")
            }
            fn visit_i64<E>(self, v: i64) -> Result<Arg, E> {
                Ok(Arg::Scalar(Loose::Int(v)))
            }
            fn visit_f64<E: serde::de::Error>(self, _: f64) -> Result<Arg, E> {
                Err(E::custom("floating-point arguments are not supported yet"))
            }
            fn visit_str<E>(self, v: &str) -> Result<Arg, E> {
                Ok(Arg::Scalar(Loose::Text(v.to_owned())))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Arg, A::Error> {
                let table = BufferTable::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Arg::Buffer(Box::new(table)))
            }
        }
        from.deserialize_any(Either)
    }
}

/// A buffer: exactly one of `in`, `out`, `inout`, `state`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BufferTable {
    /// Read only; elements, or `[rows, columns]`.
    #[serde(rename = "in")]
    #[schemars(with = "Option<schema::Extent>")]
    pub(super) input: Option<Spanned<Loose>>,
    /// Written only.
    #[schemars(with = "Option<schema::Extent>")]
    pub(super) out: Option<Spanned<Loose>>,
    /// Read and written.
    #[schemars(with = "Option<schema::Extent>")]
    pub(super) inout: Option<Spanned<Loose>>,
    /// Opaque memory of so many bytes, never compared.
    #[schemars(with = "Option<schema::Expression>")]
    pub(super) state: Option<Spanned<Loose>>,
    /// Elements from one row to the next (default: the columns).
    #[schemars(with = "Option<schema::Expression>")]
    pub(super) stride: Option<Spanned<Loose>>,
    /// How its content is made (default `"bytes"`).
    #[schemars(with = "Option<schema::Fill>")]
    pub(super) fill: Option<Spanned<Loose>>,
    /// Alignment in bytes, a power of two (default: that of the C type).
    #[schemars(with = "Option<u64>")]
    pub(super) align: Option<Spanned<u64>>,
    /// Valid elements after the call; may use `ret` and `*P` (default: all).
    #[schemars(with = "Option<schema::Expression>")]
    pub(super) used: Option<Spanned<Loose>>,
    /// Elements after the end that the function may write too.
    #[schemars(with = "Option<schema::Expression>")]
    pub(super) room: Option<Spanned<Loose>>,
    /// Whether memory that is no valid output may change: `"any"` (default) or `"kept"`.
    #[schemars(with = "Option<schema::Rest>")]
    pub(super) rest: Option<Spanned<String>>,
    /// How the output is compared (default `"bits"`).
    #[schemars(with = "Option<schema::Same>")]
    pub(super) same: Option<Spanned<Loose>>,
    /// Call that prepares a state outside the clock.
    #[schemars(with = "Option<String>")]
    pub(super) make: Option<Spanned<String>>,
    /// Time `make` may take, relative to the reference's own.
    #[schemars(with = "Option<f64>")]
    pub(super) budget: Option<Spanned<f64>>,
}
