//! What runs inside a worker.

use std::process::ExitCode;

/// Runs the worker loop if this process was started as a worker.
pub fn worker_entry() -> Option<ExitCode> {
    None
}
