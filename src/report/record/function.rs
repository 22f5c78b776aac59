//! What was found of each function.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Outcome, Speedup};

/// One function of the plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Function {
    /// Name in the manifest.
    pub name: String,
    /// Identifier of its step.
    pub step: String,
    /// What was found for this function; null when the run ended before it was decided.
    pub outcome: Option<Outcome>,
    /// The outcome in a sentence, where there is something to say.
    pub message: Option<String>,
    /// Raw speedup (below 1: slower). Null when it was not timed.
    pub speedup: Option<Speedup>,
    /// Time of the reference, ns a call, weighted over the profiles. Null when it was not timed.
    pub reference_ns: Option<f64>,
    /// Time of the candidate, ns a call, weighted over the profiles. Null when it was not timed.
    pub candidate_ns: Option<f64>,
    /// `N`: stopwatch, unsealing and digest, ns a call; already taken off both times. Null when
    /// it was not timed.
    pub overhead_ns: Option<f64>,
    /// By how much (ln) somebody who unseals faster than the driver could raise the speedup: the
    /// weighted mean of the profiles' margins. Null when it was not timed.
    pub margin: Option<f64>,
    /// How far the reference may be (ln) from itself in another layout: the far end of the 95 %
    /// interval of this run's control. Null when no control was run.
    pub noise_floor: Option<f64>,
    /// Calls whose every output was compared with the reference's.
    pub checked_calls: u64,
    /// How far the outputs that have a tolerance were from what they should be.
    pub errors: Vec<Errors>,
    /// Whether the library's public entry reaches it. Null where the task names none, or nobody
    /// looked.
    pub reached: Option<Reached>,
    /// Whether its time depends on what the task calls secret. Null where nothing is, where nothing
    /// was timed, or where calls take too long for enough of them.
    pub leak: Option<Leak>,
    /// Which of the values and classes that the task declares occurred in the calls that were checked.
    pub coverage: Vec<Coverage>,
    /// How it was timed. Null when it was not.
    pub mode: Option<Mode>,
    /// Each profile that was timed.
    pub profiles: Vec<Profile>,
}

/// Errors of an output that has a tolerance, over all values of the calls that were checked. Special
/// values (NaN, infinities) have none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Errors {
    /// The output: a buffer, or `return value`.
    pub output: String,
    /// What they are the distance from.
    pub against: Against,
    /// How many values were looked at.
    pub values: u64,
    /// The candidate's.
    pub candidate: Accuracy,
    /// The reference's own. Null where the reference is what the candidate's are the distance from.
    pub reference: Option<Accuracy>,
}

/// Classes of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Coverage {
    /// What they are classes of: the edges of a draw, the fill of a buffer, its places in a cache line.
    pub what: String,
    /// How many there are.
    pub classes: u64,
    /// How many of them occurred.
    pub seen: u64,
    /// Those that did not.
    pub missing: Vec<String>,
}

/// What an error is the distance from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Against {
    /// The reference's value.
    Reference,
    /// The exact value, which the task's own oracle computes.
    Exact,
}

/// A distribution of errors. A unit in the last place (ULP) is the distance to the next value of the
/// output's type, at the value that the error is the distance from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Accuracy {
    /// Largest, ULP.
    pub max_ulp: f64,
    /// Not exceeded by 99 values in 100, ULP (up to a quarter above the smallest such number).
    pub p99_ulp: f64,
    /// Mean size, ULP.
    pub mean_ulp: f64,
    /// Mean of signed errors, ULP: above 0 the values are too large.
    pub bias_ulp: f64,
    /// Largest, in the output's own unit.
    pub max_abs: f64,
    /// Share of values that have any error.
    pub differing: f64,
}

/// What was seen while the library's public entry ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reached {
    /// Name of the entry in the manifest.
    pub entry: String,
    /// Who saw it.
    pub method: Witness,
    /// Why no breakpoint could be set. Null where one was.
    pub reason: Option<String>,
    /// Calls of the entry, each with its outputs compared.
    pub calls: u64,
    /// Executions of the function meanwhile, on both sides. Null where none could be counted.
    pub executions: Option<Executions>,
}

/// Who saw whether a function is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Witness {
    /// A hardware breakpoint on the worker, set from outside.
    Breakpoint,
    /// The library's file: references from the entry's code to the function.
    Elf,
    /// Nobody: the task's entry is known to reach it on neither way.
    Nobody,
}

/// Executions of a function on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Executions {
    /// In the reference.
    pub reference: u64,
    /// In the candidate.
    pub candidate: u64,
}

/// Times of calls with one fixed secret against times with random ones.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Leak {
    /// Welch's t, farthest from 0 over all cuts and fixed secrets.
    pub t: f64,
    /// Beyond it, on either side, a look counts.
    pub bound: f64,
    /// Fixed minus random there, ns.
    pub difference_ns: f64,
    /// Calls that were timed.
    pub calls: u64,
    /// Beyond the bound twice on the same side, in two processes.
    pub leaks: bool,
    /// The same of the reference. Null where the candidate does not leak.
    pub reference_leaks: Option<bool>,
    /// Whether the task makes it part of the verdict (where the reference does not leak).
    pub required: bool,
}

/// How a function was timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Mode {
    /// Inputs in clear give the number, sealed ones at random audit it.
    #[serde(rename = "plain+audit")]
    PlainAudit,
    /// Every input is sealed until the clock runs.
    #[serde(rename = "sealed")]
    Sealed,
}

/// One profile of a function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Name in the manifest.
    pub name: String,
    /// Relative weight.
    pub weight: f64,
    /// Raw speedup.
    pub speedup: Speedup,
    /// Time of the reference, ns a call.
    pub reference_ns: f64,
    /// Time of the candidate, ns a call.
    pub candidate_ns: f64,
    /// By how much (ln) somebody who unseals faster than the driver could raise `speedup`.
    pub margin: f64,
    /// `K`: calls between *go* and *done*.
    pub calls_per_burst: u64,
    /// Replicates: fresh processes, another layout.
    pub replicates: u64,
    /// Blocks over all replicates.
    pub blocks: u64,
    /// Speedup of the requests in clear over that of the sealed ones. Null where all calls were
    /// sealed.
    pub audit: Option<f64>,
    /// Speedup by the sums of all requests over that by the median of single inputs. Where the two
    /// are further apart than the timer allows, the sums decide.
    pub uneven: f64,
    /// Share by which the candidate's visits slow the reference's next one beyond what its own
    /// copy does in the control, taken off `speedup`; 0 where it is lost in the noise. Null where
    /// no control was run.
    pub slowed: Option<f64>,
    /// Where the scatter of the replicates comes from.
    pub scatter: Scatter,
}

/// Standard deviation of one replicate's ln ratio that each level adds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scatter {
    /// From layout to layout. Null while no layout was used twice: it is in `process` then.
    pub layout: Option<f64>,
    /// From process to process. Null with fewer than two replicates.
    pub process: Option<f64>,
    /// From block to block within a process, as far as it is left in a replicate. Null where a
    /// replicate is a single block: it is in `process` then.
    pub block: Option<f64>,
}
