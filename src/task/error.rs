//! What can be wrong with a task, always with a way out.

use std::path::PathBuf;
use std::sync::Arc;

use miette::{Diagnostic, NamedSource, SourceSpan};
use thiserror::Error;

/// Why a task cannot be worked with.
#[derive(Debug, Error, Diagnostic)]
pub enum TaskError {
    /// Neither the current folder nor one above it holds tasks.
    #[error("no folder with `kernels/` here or above")]
    #[diagnostic(help(
        "change into a speedgate checkout, set SPEEDGATE_ROOT to one, or name a task by its path"
    ))]
    NoRoot,
    /// No task of this name, and no folder either.
    #[error("there is no task `{name}`")]
    NoTask {
        /// What was asked for.
        name: String,
        /// What there is.
        #[help]
        help: String,
    },
    /// A file of the task cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
    /// The manifest is wrong.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Manifest(Box<Problem>),
    /// The manifest is right, and asks for something that speedgate cannot do yet.
    #[error(transparent)]
    #[diagnostic(transparent)]
    NotSupported(Box<Problem>),
    /// No step, or more than one, goes by this name.
    #[error("{message}")]
    Step {
        /// What is wrong.
        message: String,
        /// The steps there are.
        #[help]
        help: String,
    },
}

/// One place in a manifest and what is wrong there; further ones hang on the first.
#[derive(Debug, Clone, Error, Diagnostic)]
#[error("{message}")]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// The manifest.
    #[source_code]
    pub file: NamedSource<Arc<str>>,
    /// Where in it.
    #[label]
    pub span: SourceSpan,
    /// What to do.
    #[help]
    pub help: Option<String>,
    /// Other problems of the same manifest.
    #[related]
    pub more: Vec<Problem>,
}
