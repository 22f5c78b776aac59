//! The one binary: the command line, and (re-executed under another name) the worker.

use std::process::ExitCode;

fn main() -> ExitCode {
    // A worker never sees the command line: it is this binary run again under its own name.
    if let Some(code) = speedgate_harness::worker_entry() {
        return code;
    }
    // Nor do calls that a debugger looks into.
    if let Some(code) = speedgate_harness::alone_entry() {
        return code;
    }
    speedgate::cli::main()
}
