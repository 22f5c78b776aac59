//! With what and where a run took place: the build, the machine, the sandbox.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How both sides were built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// The compiler of the library's language.
    pub compiler: Tool,
    /// The linker.
    pub linker: Tool,
    /// Compiler flags, both sides.
    pub flags: Vec<String>,
    /// The layouts that were timed.
    pub layouts: Vec<Layout>,
}

/// A program that took part in the build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Resolved path.
    pub path: String,
    /// What it says of itself.
    pub version: String,
    /// sha256 of the file (hex).
    pub sha256: String,
}

/// One shuffled arrangement of the two libraries' sections.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Layout {
    /// Seed of the shuffle.
    pub seed: u64,
    /// sha256 of the reference library (hex).
    pub reference: String,
    /// sha256 of the candidate library (hex). Null when it was not built.
    pub candidate: Option<String>,
}

/// Where a run took place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// Model name of the processor.
    pub cpu: String,
    /// Logical processors that this process may use.
    pub cores: usize,
    /// Threads share a core. Null when the kernel does not say.
    pub smt: Option<bool>,
    /// Kernel release.
    pub kernel: String,
    /// What runs beneath, such as `kvm`. Null when it looks like real hardware.
    pub hypervisor: Option<String>,
    /// The processor's time stamp counter.
    pub tsc: Tsc,
    /// Rate of that counter, GHz, measured against `CLOCK_MONOTONIC_RAW`. Null where calls are
    /// timed by another clock.
    pub tsc_ghz: Option<f64>,
    /// Frequency governor of the first core. Null when the kernel shows none.
    pub governor: Option<String>,
    /// Whether the kernel gives large pages where they are asked for, as buffers are. Null when it does
    /// not say.
    pub large_pages: Option<bool>,
    /// Load average of the last minute. Null when the kernel does not say.
    pub load: Option<f64>,
    /// How the supervisor waits for a worker. Null when nothing was run.
    pub stopwatch: Option<Stopwatch>,
    /// Scheduling priority of supervisor and workers, in words. Null when nothing was run.
    pub priority: Option<String>,
    /// Core of the supervisor. Null when nothing was run.
    pub supervisor_core: Option<usize>,
    /// Core of the workers. Null when nothing was run.
    pub worker_core: Option<usize>,
}

/// The processor's time stamp counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tsc {
    /// Constant rate in every state of the processor.
    Invariant,
    /// Present, but its rate may change.
    Variable,
    /// None on this architecture.
    Absent,
}

/// How the supervisor waits for a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stopwatch {
    /// It spins on its own core.
    Spin,
    /// It sleeps: there is one core only, and the resolution is that of the scheduler.
    Futex,
}

/// One protection of the sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Capability {
    /// Short name.
    pub name: String,
    /// Whether it holds.
    pub state: Protection,
    /// What was attempted, or why it is missing.
    pub note: String,
}

/// Whether a protection holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Protection {
    /// The forbidden act was attempted and refused.
    Proven,
    /// It does not hold, or nobody knows.
    Absent,
}
