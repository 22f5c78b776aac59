//! `result.json`: what one run of speedgate found. Depends on nothing else of ours.
//!
//! A thing that was not measured is `null` or has a reason where its value would be; it is never
//! zero. Times are nanoseconds a call, ratios are reference over candidate (above 1 is faster).

mod counters;
mod failure;
mod function;
mod marks;
mod noise;
mod reuse;
mod setting;

use std::time::SystemTime;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use counters::{Count, Counters, Event, EventSource, FunctionCounts, SideCounts, Source};
pub use failure::{Again, Content, Difference, Element, Failure, Smallest};
pub use function::{
    Accuracy, Against, Coverage, Errors, Executions, Function, Leak, Mode, Profile, Reached,
    Scatter, Witness,
};
pub use marks::{Decide, FunctionLead, MarkSet, MarkSource};
pub use noise::{Cause, Noise};
pub use reuse::Reuse;
pub use setting::{Build, Capability, Layout, Machine, Protection, Stopwatch, Tool, Tsc};

/// Name and version of this schema.
pub const SCHEMA: &str = "speedgate.result/1";

/// The record of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "speedgate result")]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// `speedgate.result/1`.
    pub schema: String,
    /// Which command made it.
    pub kind: Kind,
    /// The program that made it.
    pub engine: Engine,
    /// Name of the task.
    pub task: String,
    /// Identifier of the step; null when `practice` or `check` went over all steps.
    pub step: Option<String>,
    /// What was found.
    pub outcome: Outcome,
    /// The outcome in a sentence, with the way out where there is one.
    pub message: String,
    /// `c`: every output of this and every earlier step's functions is right. Null without a verdict.
    pub correct: Option<bool>,
    /// `v`: `s` is above the mark. Null when it was not decided: no speed was measured, the step has no
    /// calibration, or none that can tell, and there was no duel (the reference solution's practice).
    pub fast: Option<bool>,
    /// `r = c · v`. Null for `practice` and `check`, which give none.
    pub reward: Option<u8>,
    /// `s`, the step's speedup. Null when none was measured.
    pub speedup: Option<Speedup>,
    /// Speedup of the step's reference solution. Null without a calibration.
    pub s_ref: Option<f64>,
    /// Mark that a solution as fast as the reference solution passes 99 times in 100.
    /// Null without a calibration.
    pub pass_at: Option<f64>,
    /// Where the two marks come from, and so which of the two sets below decides. Null when there
    /// are none.
    pub marks: Option<MarkSource>,
    /// The calibration's marks. Null without a calibration, or when several steps were tried.
    pub calibrated_marks: Option<MarkSet>,
    /// The marks by the reference solution as timed in this run. Null when it was not.
    pub live_marks: Option<MarkSet>,
    /// Which of the two marks decides `fast`.
    pub decide: Decide,
    /// The interval of `s` lies wholly on one side of the mark; with live marks, that of the lead, unless
    /// a bound decides. Null when `fast` is.
    pub confident: Option<bool>,
    /// Something odd happened after candidate code was first mapped, or the live mark is a bound; a
    /// person should look.
    pub needs_human: bool,
    /// How far `ln s` may be from 0 where nothing differs: the far end of the 95 % interval of the
    /// run's control, the reference against itself. Null when no control was run.
    pub noise_floor: Option<f64>,
    /// Share by which the floor at 1 would lift `s` if nothing were faster, at the noise of this
    /// run. Null when no speed was measured.
    pub floor_bias: Option<f64>,
    /// What timing the candidate took. Null when nothing was timed.
    pub timing: Option<Timing>,
    /// Each step that was timed, in order.
    pub steps: Vec<StepScore>,
    /// Each function that was in the plan, in the order of the steps.
    pub functions: Vec<Function>,
    /// What went wrong first. Null when nothing did.
    pub failure: Option<Failure>,
    /// What went wrong first in other functions: `check` goes on without the one that failed.
    #[serde(default)]
    pub more_failures: Vec<Failure>,
    /// Files that differ from the pristine tree in the workspace but may not be edited: they had
    /// no effect.
    pub ignored_edits: Vec<String>,
    /// What the candidate adds, beside the upstream library. Null when it adds nothing, or did not
    /// get through the build.
    pub reuse: Option<Reuse>,
    /// How both sides were built. Null when it did not get that far.
    pub build: Option<Build>,
    /// Where it ran.
    pub machine: Machine,
    /// Each protection and whether it was proven by attempting the forbidden act.
    pub capabilities: Vec<Capability>,
    /// What the processor and the kernel counted.
    pub counters: Counters,
    /// What disturbed the measurement, the worst first. Empty when there was nothing worth saying, or
    /// nothing was timed.
    pub noise: Vec<Noise>,
    /// Seed of all inputs (hex): `speedgate check TASK --seed SEED` makes the same ones again.
    pub seed: String,
    /// When it started, RFC 3339 in UTC.
    pub started: String,
    /// How long it took.
    pub seconds: f64,
}

impl Record {
    /// A record of which nothing is known yet but what was asked: every finding is absent and the
    /// outcome is an internal error until somebody says better.
    pub fn begin(
        kind: Kind,
        task: &str,
        step: Option<&str>,
        decide: Decide,
        machine: Machine,
        seed: String,
    ) -> Self {
        Record {
            schema: SCHEMA.into(),
            kind,
            engine: Engine::this(),
            task: task.into(),
            step: step.map(Into::into),
            outcome: Outcome::InternalError,
            message: "the run ended before anything was found".into(),
            correct: None,
            fast: None,
            reward: (kind == Kind::Grade).then_some(0),
            speedup: None,
            s_ref: None,
            pass_at: None,
            marks: None,
            calibrated_marks: None,
            live_marks: None,
            decide,
            confident: None,
            needs_human: false,
            noise_floor: None,
            floor_bias: None,
            timing: None,
            steps: Vec::new(),
            functions: Vec::new(),
            failure: None,
            more_failures: Vec::new(),
            ignored_edits: Vec::new(),
            reuse: None,
            build: None,
            machine,
            capabilities: Vec::new(),
            counters: Counters::Absent { reason: "nothing was timed".into() },
            noise: Vec::new(),
            seed,
            started: utc(SystemTime::now()),
            seconds: 0.0,
        }
    }
}

/// A moment as RFC 3339 in UTC, to the second.
pub fn utc(moment: SystemTime) -> String {
    humantime::format_rfc3339_seconds(moment).to_string()
}

/// Which command made a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// `grade`: hidden inputs, a reward.
    Grade,
    /// `practice`: public inputs, no reward.
    Practice,
    /// `check`: outputs only, nothing timed.
    Check,
}

/// The program that made a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// `speedgate`.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Engine {
    /// This program.
    pub fn this() -> Self {
        Engine { name: "speedgate".into(), version: env!("CARGO_PKG_VERSION").into() }
    }
}

/// What a run found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Right, and fast enough where that was asked.
    Pass,
    /// Right, but not above the mark.
    TooSlow,
    /// The candidate does not compile or link.
    BuildFailed,
    /// The candidate, or the library built from it, holds something that it must not.
    AuditRejected,
    /// An output differs from the reference's.
    WrongOutput,
    /// A read or write outside its buffers, or into a read-only one.
    MemoryViolation,
    /// A register or control state that the platform's ABI protects came back changed.
    AbiViolation,
    /// The worker died of a signal.
    Crashed,
    /// The worker did not answer within its bound.
    Hung,
    /// The worker ended by itself.
    Exited,
    /// The worker went beyond its memory limit.
    OutOfMemory,
    /// The worker was killed for a system call that honest code never makes.
    ForbiddenSyscall,
    /// Preparing a state took longer than its budget.
    SetupOverBudget,
    /// A function of the plan was never called.
    NotReached,
    /// A function's time depends on what must be kept secret, and the reference's does not.
    LeaksSecret,
    /// Fewer requests were completed than the plan holds.
    Incomplete,
    /// No verdict: this machine can't measure.
    UnfitMachine,
    /// No verdict: the library's source could not be fetched.
    SourceNotServed,
    /// No verdict: speedgate itself failed.
    InternalError,
}

impl Outcome {
    /// Whether the candidate was judged at all.
    pub fn is_verdict(self) -> bool {
        !matches!(self, Outcome::UnfitMachine | Outcome::SourceNotServed | Outcome::InternalError)
    }

    /// Every outcome.
    pub const ALL: [Outcome; 19] = [
        Outcome::Pass,
        Outcome::TooSlow,
        Outcome::BuildFailed,
        Outcome::AuditRejected,
        Outcome::WrongOutput,
        Outcome::MemoryViolation,
        Outcome::AbiViolation,
        Outcome::Crashed,
        Outcome::Hung,
        Outcome::Exited,
        Outcome::OutOfMemory,
        Outcome::ForbiddenSyscall,
        Outcome::SetupOverBudget,
        Outcome::NotReached,
        Outcome::LeaksSecret,
        Outcome::Incomplete,
        Outcome::UnfitMachine,
        Outcome::SourceNotServed,
        Outcome::InternalError,
    ];
}

impl std::fmt::Display for Outcome {
    /// The name it has in the record.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

/// A ratio of times, reference over candidate, with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Speedup {
    /// The best single number.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// What timing took.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// Wall time, s.
    pub seconds: f64,
    /// Of that, between *go* and *done* of timed requests of any worker, s. The rest is making
    /// inputs, having them answered, and handing over.
    pub inside: f64,
}

/// The speed of one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepScore {
    /// Identifier.
    pub id: String,
    /// `s`.
    pub speedup: Speedup,
    /// Speedup of the reference solution, calibrated or in this run. Null without a calibration.
    pub s_ref: Option<f64>,
    /// The mark that goes with it. Null without a calibration.
    pub pass_at: Option<f64>,
    /// `s` is above the deciding mark. Null as `fast` of the run.
    pub fast: Option<bool>,
    /// As `confident` of the run. Null without a calibration.
    pub confident: Option<bool>,
}

/// The JSON schema of [`Record`], as committed in `docs/result.schema.json`.
pub fn json_schema() -> String {
    // As written: every key is there, those that are absent hold null.
    let settings = schemars::generate::SchemaSettings::default().for_serialize();
    let schema = settings.into_generator().into_root_schema_for::<Record>();
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema is plain JSON");
    text.push('\n');
    text
}
