//! What the kernel and the processor counted while some calls were made again, untimed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Event counts of both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Counters {
    /// None were read.
    Absent {
        /// Why.
        reason: String,
    },
    /// After the timing each side made some calls more, on inputs that were not used before, with
    /// counters running.
    Counted {
        /// Each event, and where its counts come from.
        events: Vec<EventSource>,
        /// Each profile of each function that was counted.
        functions: Vec<FunctionCounts>,
    },
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// Cycles of the core, in user mode.
    Cycles,
    /// Instructions that took effect, in user mode.
    Instructions,
    /// Branches among them.
    Branches,
    /// Branches that were predicted wrongly, in user mode.
    BranchMisses,
    /// Loads that missed the first-level data cache, in user mode.
    L1dMisses,
    /// Loads that missed the last-level cache, in user mode.
    LlcMisses,
    /// Time on the processor, nanoseconds.
    TaskClock,
    /// The process gave up or lost the processor.
    ContextSwitches,
    /// The process was moved to another processor.
    Migrations,
    /// Memory had to be mapped by the kernel.
    PageFaults,
}

impl Event {
    /// All of them: those of the hardware, then those of the kernel.
    pub const ALL: [Event; 10] = [
        Event::Cycles,
        Event::Instructions,
        Event::Branches,
        Event::BranchMisses,
        Event::L1dMisses,
        Event::LlcMisses,
        Event::TaskClock,
        Event::ContextSwitches,
        Event::Migrations,
        Event::PageFaults,
    ];

    /// Whether the processor counts it, not the kernel.
    pub fn is_hardware(self) -> bool {
        !matches!(
            self,
            Event::TaskClock | Event::ContextSwitches | Event::Migrations | Event::PageFaults
        )
    }

    /// Whether no process runs without any.
    pub fn is_certain(self) -> bool {
        matches!(self, Event::Cycles | Event::Instructions | Event::Branches | Event::TaskClock)
    }
}

impl std::fmt::Display for Event {
    /// The name it has in the record, with spaces.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Event::Cycles => "cycles",
            Event::Instructions => "instructions",
            Event::Branches => "branches",
            Event::BranchMisses => "branch misses",
            Event::L1dMisses => "L1d misses",
            Event::LlcMisses => "LLC misses",
            Event::TaskClock => "task clock",
            Event::ContextSwitches => "context switches",
            Event::Migrations => "migrations",
            Event::PageFaults => "page faults",
        })
    }
}

/// An event, and where its counts come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventSource {
    /// The event.
    pub event: Event,
    /// Who counts it. Null when nobody does.
    pub source: Option<Source>,
    /// Why it is not `perf`. Null when it is.
    pub reason: Option<String>,
}

/// Who counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// `perf_event_open` on the worker, from outside.
    Perf,
    /// The worker's files in `/proc`.
    Proc,
}

/// Counts of one profile of a function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FunctionCounts {
    /// Name of the function.
    pub function: String,
    /// Name of the profile.
    pub profile: String,
    /// Calls that each side made with counters running; they take turns with the events.
    pub calls: u64,
    /// The reference's.
    pub reference: SideCounts,
    /// The candidate's.
    pub candidate: SideCounts,
}

/// Counts of one side, the empty worker's taken off.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SideCounts {
    /// The events that were counted.
    pub counts: Vec<Count>,
    /// Instructions a cycle. Null without both, or when it is refused.
    pub ipc: Option<f64>,
    /// Rate of the core's clock, from cycles and the timed calls. Null without cycles, or when it
    /// is refused.
    pub ghz: Option<f64>,
    /// What was counted and is not believed, and why.
    pub refused: Vec<String>,
}

/// Counts of one event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Count {
    /// The event.
    pub event: Event,
    /// How many in one call.
    pub per_call: f64,
    /// Standard error of that.
    pub error: f64,
    /// Share of the time that the counter ran; below 1 the count is scaled up.
    pub running: f64,
}

impl SideCounts {
    /// The count of an event, if there is one.
    pub fn of(&self, event: Event) -> Option<&Count> {
        self.counts.iter().find(|c| c.event == event)
    }
}
