//! What disturbed a measurement.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One thing that made a run noisy, or may have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Noise {
    /// What it is.
    pub cause: Cause,
    /// How much of it there was; null where it is a setting.
    pub amount: Option<f64>,
    /// Of what the amount is so much: `% of processor time`, or the setting in words.
    pub unit: String,
    /// What to do about it.
    pub advice: String,
}

/// What disturbs measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The hypervisor gave the processor to somebody else.
    Steal,
    /// A quota of processor time stopped the container.
    Throttled,
    /// A quota of processor time is set, and may do so.
    Quota,
    /// The processor was too hot for its clock rate.
    Heat,
    /// The thread that shares a core with supervisor or workers was busy.
    Sibling,
    /// Other processes took the processor in the middle of calls.
    Disturbed,
    /// Other processes wanted the processor before the run began.
    Load,
    /// The disk was waited for.
    Disk,
    /// The clock rate follows the load.
    Governor,
    /// Other processes have the same priority.
    Priority,
    /// Supervisor and workers share a core.
    SharedCore,
    /// Timed calls fault pages.
    PageFaults,
    /// A worker was moved between cores.
    Migrations,
    /// The time stamp counter changed its rate.
    Clock,
    /// The reference differs from itself.
    Control,
}

impl std::fmt::Display for Cause {
    /// As a person says it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Cause::Steal => "stolen time",
            Cause::Throttled => "throttled by a quota",
            Cause::Quota => "processor quota",
            Cause::Heat => "thermal throttling",
            Cause::Sibling => "busy SMT sibling",
            Cause::Disturbed => "interrupted calls",
            Cause::Load => "load",
            Cause::Disk => "disk",
            Cause::Governor => "frequency governor",
            Cause::Priority => "priority",
            Cause::SharedCore => "one core",
            Cause::PageFaults => "page faults",
            Cause::Migrations => "migrations",
            Cause::Clock => "clock",
            Cause::Control => "reference against itself",
        })
    }
}
