//! Why a command could not do what it was asked to: everything that is not a verdict.

use std::io;
use std::path::PathBuf;

use miette::Diagnostic;

use super::calibration::CalibrationError;
use super::reward::RewardError;
use crate::build::{BuildError, TreeError};
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
    /// The workspace can't be read.
    #[error("can't read the workspace `{}`: {source}", path.display())]
    #[diagnostic(help(
        "--workspace names a folder; `speedgate workspace` writes one to start from"
    ))]
    Workspace {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
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
    Build(#[from] BuildError),
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
            EngineError::Output(_) | EngineError::Workspace { .. } | EngineError::Untrusted => {
                Class::Usage
            }
            EngineError::Build(error) => of_build(error),
            EngineError::Calibration(_) | EngineError::Instance(_) | EngineError::Reference(_) => {
                Class::Task
            }
            EngineError::Cache(_) => Class::Environment,
            EngineError::UnfitMachine { .. } => Class::Environment,
            EngineError::Stats(_) | EngineError::System { .. } => Class::Internal,
        }
    }
}

/// Whose fault it is that there is no library.
fn of_build(error: &BuildError) -> Class {
    match error {
        BuildError::NoCompiler(_) => Class::Environment,
        // The reference does not build, or the author's solution: the task's.
        BuildError::Candidate { .. } => Class::Task,
        BuildError::Tree(TreeError::Source(
            SourceError::NotServed { .. } | SourceError::NotSupported { .. },
        )) => Class::Environment,
        BuildError::Tree(TreeError::Workspace { .. }) => Class::Usage,
        BuildError::Tree(_) => Class::Task,
        BuildError::Internal(_) => Class::Internal,
    }
}
