//! How much of what the candidate adds stands in the upstream library already.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Likeness of what the candidate adds to the upstream tree, which a workspace does not show. Short
/// idioms are alike everywhere: a low share says nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reuse {
    /// Lines added, without blank lines, brackets alone, comments and preprocessor lines.
    pub added_lines: u64,
    /// Share of them that stands word for word anywhere in the upstream tree.
    pub verbatim: f64,
    /// Share of them that stands word for word in the upstream file of the same path, or else name.
    pub verbatim_same_file: f64,
    /// Tokens added, names and layout set aside.
    pub added_tokens: u64,
    /// Share of them in runs that the upstream tree has, too, under whatever names and in whatever
    /// layout.
    pub normalised: f64,
    /// Largest share, of either kind, that the task allows. Null when it sets none.
    pub limit: Option<f64>,
}
