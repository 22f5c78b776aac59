//! Why a command could not do what it was asked to: everything that is not a verdict.

use std::io;

use miette::Diagnostic;

use super::calibration::CalibrationError;
use super::reward::RewardError;
use crate::build::{BuildError, SolutionError, TreeError, WorkspaceError};
use crate::gate::instance::InstanceError;
use crate::stats::StatsError;
use crate::task::TaskError;
use crate::task::cache::CacheError;
use crate::task::source::SourceError;

/// Why a run ended without a record.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum EngineError {
    /// The task or its step can't be found or used.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Task(#[from] TaskError),
    /// The output folder can't be used.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Output(#[from] RewardError),
    /// There is no tree to build or write.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Tree(Box<TreeError>),
    /// A tree can't be written for somebody to work in.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Write(Box<WorkspaceError>),
    /// The sandbox of an ordinary user can't hold a hostile workspace.
    #[error("without root the sandbox can't hold a hostile workspace")]
    #[diagnostic(help(
        "run as root in a container or VM, or say --trust-workspace if you know who wrote it"
    ))]
    Untrusted,
    /// The task's calibration is missing or damaged, or could not be made.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Calibration(#[from] CalibrationError),
    /// A replay of a case that no plan has.
    #[error("task `{task}` has no case `{name}`")]
    #[diagnostic(help(
        "a report names the case of a failure at the end of `again:`, such as rank:17"
    ))]
    NoCase {
        /// The task.
        task: String,
        /// What was asked for.
        name: String,
    },
    /// There is no function of that name where one was asked for.
    #[error("task `{task}` has no function `{name}` among those that are checked")]
    #[diagnostic(help("{help}"))]
    NoFunction {
        /// The task.
        task: String,
        /// What was asked for.
        name: String,
        /// What may have been meant.
        help: String,
    },
    /// There is no attack of that name.
    #[error("there is no attack `{name}`")]
    #[diagnostic(help("`speedgate selftest attacks` without names runs, and lists, all of them"))]
    NoAttack {
        /// What was asked for.
        name: String,
    },
    /// A tool that an inspection needs is not on this machine.
    #[error("there is no {what} on this machine")]
    #[diagnostic(help("install it, for example: apt-get install {package}"))]
    NoTool {
        /// What was looked for.
        what: &'static str,
        /// The package that has it.
        package: &'static str,
    },
    /// No function of an inspection declares a secret.
    #[error("no function of task `{task}` that was asked for declares a `secret` buffer")]
    #[diagnostic(help("name the buffers that hold secrets: secret = [\"key\"]"))]
    NoSecret {
        /// The task.
        task: String,
    },
    /// A tool did not get as far as looking.
    #[error("the tool did not get to work: {message}")]
    Tool {
        /// In words, with what it wrote itself.
        message: String,
    },
    /// The machine can't measure.
    #[error("this machine can't measure: {reason}")]
    #[diagnostic(help("`speedgate doctor` says what is missing"))]
    UnfitMachine {
        /// What is missing.
        reason: String,
    },
    /// The library can't be built, for a reason that is not the candidate's.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Build(Box<BuildError>),
    /// The cache can't be used.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Cache(#[from] CacheError),
    /// The task's draws and sizes don't make a call.
    #[error(transparent)]
    Instance(#[from] InstanceError),
    /// The reference library, or a worker without candidate code, failed.
    #[error("{0}")]
    #[diagnostic(help(
        "the task's own library must answer every request: `speedgate lint` may say more"
    ))]
    Reference(String),
    /// A number could not be computed from what was measured.
    #[error("a statistic could not be computed: {0}")]
    Stats(#[from] StatsError),
    /// The operating system refused something that speedgate needs.
    #[error("{act}: {source}")]
    System {
        /// What was attempted.
        act: String,
        /// Why it failed.
        source: io::Error,
    },
}

/// The classes of errors, each with its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// The command was given something it can't use.
    Usage,
    /// The task is at fault.
    Task,
    /// The machine, a missing compiler, or a source that is not served.
    Environment,
    /// speedgate itself.
    Internal,
}

impl EngineError {
    /// Whose fault it is.
    pub fn class(&self) -> Class {
        match self {
            EngineError::Task(
                TaskError::NoRoot | TaskError::NoTask { .. } | TaskError::Step { .. },
            ) => Class::Usage,
            EngineError::Task(_) => Class::Task,
            EngineError::Output(_)
            | EngineError::Untrusted
            | EngineError::NoCase { .. }
            | EngineError::NoFunction { .. }
            | EngineError::NoAttack { .. }
            | EngineError::NoSecret { .. }
            | EngineError::Calibration(CalibrationError::TooFew { .. }) => Class::Usage,
            EngineError::Tree(error) => tree(error),
            EngineError::Build(error) => build(error),
            EngineError::Write(error) => match error.as_ref() {
                WorkspaceError::Tree(error) => tree(error),
                WorkspaceError::NotEmpty { .. } | WorkspaceError::Io { .. } => Class::Usage,
            },
            EngineError::Calibration(_) | EngineError::Instance(_) | EngineError::Reference(_) => {
                Class::Task
            }
            EngineError::Cache(_)
            | EngineError::UnfitMachine { .. }
            | EngineError::NoTool { .. }
            | EngineError::Tool { .. } => Class::Environment,
            EngineError::Stats(_) | EngineError::System { .. } => Class::Internal,
        }
    }
}

/// Whose fault it is that there is no library.
fn build(error: &BuildError) -> Class {
    match error {
        BuildError::NoCompiler(_) => Class::Environment,
        // The reference does not build, or the author's solution: the task's.
        BuildError::Candidate { .. } => Class::Task,
        BuildError::NoPractice { .. } => Class::Usage,
        BuildError::Tree(error) => tree(error),
        BuildError::Internal(_) => Class::Internal,
    }
}

/// Whose fault it is that there is no tree.
fn tree(error: &TreeError) -> Class {
    match error {
        TreeError::Source(source) | TreeError::Solution(SolutionError::Source(source))
            if source.is_skip() =>
        {
            Class::Environment
        }
        TreeError::Source(SourceError::Io { .. }) => Class::Internal,
        TreeError::Workspace { .. } | TreeError::TooLarge { .. } | TreeError::Foreign { .. } => {
            Class::Usage
        }
        TreeError::Source(_) | TreeError::Solution(_) | TreeError::Glob(_) => Class::Task,
    }
}

impl From<rand::rngs::SysError> for EngineError {
    fn from(error: rand::rngs::SysError) -> Self {
        EngineError::System {
            act: "can't draw a seed from the operating system".into(),
            source: io::Error::other(error.to_string()),
        }
    }
}

/// Some errors carry logs and file names: boxed, so that results stay small.
macro_rules! boxed {
    ($($error:ident => $variant:ident),*) => {$(
        impl From<$error> for EngineError {
            fn from(error: $error) -> Self {
                EngineError::$variant(Box::new(error))
            }
        }
    )*};
}

boxed!(TreeError => Tree, BuildError => Build, WorkspaceError => Write);
