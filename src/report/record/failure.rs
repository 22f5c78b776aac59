//! What went wrong, and how to see it again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What went wrong first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// The function that was called. Null when it was none (the build, the start of a worker).
    pub function: Option<String>,
    /// What happened.
    pub message: String,
    /// Seed that the inputs came from (hex). Null when no input was involved.
    pub seed: Option<String>,
    /// The request that failed, in words: sizes, placement, generator. Null when none was.
    pub case: Option<String>,
    /// Both sides at the first differing place. Null when outputs were not the matter.
    pub difference: Option<Difference>,
    /// End of the compiler's or linker's own messages. Null when the build was not the matter.
    pub log: Option<String>,
    /// The command that shows it again. Null when there is none.
    pub replay: Option<String>,
    /// What became of it in a fresh process. Null when that was not tried.
    pub again: Option<Again>,
    /// The smallest failing call that was found. Null when none was looked for, or it did not fail
    /// again.
    pub smallest: Option<Smallest>,
}

impl Failure {
    /// A failure of which only a sentence is known.
    pub fn plain(function: Option<String>, message: String) -> Self {
        Failure {
            function,
            message,
            seed: None,
            case: None,
            difference: None,
            log: None,
            replay: None,
            again: None,
            smallest: None,
        }
    }
}

/// What became of a failing call in a fresh process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Again {
    /// It fails alone.
    Alone,
    /// It fails after other calls only: what it does depends on them.
    AfterOthers,
    /// It did not fail, even after all calls that had come before it.
    NotAgain,
}

/// The smallest failing call that was found: the same as the first one with draws lowered, and inputs
/// simplified as far as the contract allows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Smallest {
    /// How many other calls must come before it.
    pub after: u64,
    /// Its sizes and other values, in words.
    pub case: String,
    /// What happened.
    pub message: String,
    /// Both sides at the first differing place. Null when outputs were not the matter.
    pub difference: Option<Difference>,
    /// Its inputs.
    pub inputs: Vec<Content>,
    /// The command that shows it again. Null when too many calls must come before it.
    pub replay: Option<String>,
    /// Calls that were tried to find it.
    pub attempts: u64,
}

/// An input of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Content {
    /// The buffer.
    pub name: String,
    /// Its size, bytes.
    pub bytes: u64,
    /// Its first bytes (hex).
    pub begin: String,
}

/// The first place where two outputs differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// Output buffer, or `return value`.
    pub place: String,
    /// Offset of the first differing byte in it.
    pub offset: u64,
    /// Offset of the first byte shown.
    pub start: u64,
    /// The reference's bytes from `start` on (hex).
    pub expected: String,
    /// The candidate's bytes from `start` on (hex).
    pub actual: String,
    /// The element that it lies in. Null outside of a buffer.
    pub element: Option<Element>,
}

/// An element that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Element {
    /// Its row. Null where there are no rows.
    pub row: Option<u64>,
    /// Its place in the row, or in the buffer.
    pub index: u64,
    /// The reference's value.
    pub expected: String,
    /// The candidate's value.
    pub actual: String,
    /// How many floating-point numbers lie between the two, the farther one included. Null where they
    /// are none, or not numbers.
    pub ulps: Option<u64>,
}
