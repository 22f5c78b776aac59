//! What a step's speed is held against.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Speedup;

/// Where a step's marks come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MarkSource {
    /// The task's calibration.
    Calibration,
    /// The reference solution, which the candidate was timed against in this run: the calibration is
    /// another processor's, its mark is too near `s` for a machine that drifts, or `--live-ref` asked.
    Live,
}

/// A step's marks from one source, and how `s` stands to them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkSet {
    /// Speedup of the reference solution, with its 95 % interval; of live marks, never below their bound
    /// (METHODOLOGY.md, "The mark").
    pub s_ref: Speedup,
    /// What a solution as fast as the reference solution passes 99 times in 100, or the bound, where that
    /// is higher.
    pub pass_at: f64,
    /// How far (ln) one may fall behind the solution and still pass: the calibration's, or that of a
    /// duel's own noise where that is more.
    pub guard: f64,
    /// `s` over the solution's, with the 95 % interval of timing the two against each other: narrower
    /// than that of `s`, since what disturbs both cancels. Null where the solution was not timed.
    pub lead: Option<Speedup>,
    /// How fast each function is against the solution's, without the floor at 1; empty where there is no
    /// lead.
    pub functions: Vec<FunctionLead>,
    /// `s` is above the one that `decide` names. Null when no speed was measured.
    pub fast: Option<bool>,
    /// The interval of `s` lies wholly on one side of it, or, where there is a lead and the mark is the
    /// solution's, that of the lead. Null when `fast` is.
    pub confident: Option<bool>,
}

/// A function's speed against the reference solution's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FunctionLead {
    /// Its name.
    pub name: String,
    /// The solution's time over the candidate's, with the 95 % interval: above 1 the candidate is faster.
    pub lead: Speedup,
    /// Share by which the candidate's visits slow the solution's next one beyond what its own copy does,
    /// taken off: the most of all profiles; 0 where it is lost in the noise. Null where it was not
    /// measured.
    pub slowed: Option<f64>,
    /// Sealed calls took longer than plain ones allow: their time counts.
    pub audit_failed: bool,
}

/// Which mark decides `fast`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decide {
    /// `s > pass_at` (the default).
    PassAt,
    /// `s > s_ref` (the strict rule).
    SRef,
}
