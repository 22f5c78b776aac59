//! The command line: one command a file, no logic.

mod calibrate;
mod check;
mod doctor;
mod error;
mod grade;
mod lint;
mod list;
mod output;
mod practice;
mod selftest;
mod solution;
mod workspace;

use std::panic;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::verdict::request::Entry;
pub use error::{CliError, Exit};

/// Grades optimization steps: is every output still right, and how much faster is it?
///
/// A task is a library and a chain of steps; a step names functions to make faster with unchanged
/// output. speedgate builds the library twice, once as it is and once with the files that you
/// edited, calls both on the same inputs, compares every output and measures the speedup from
/// outside of the graded process.
#[derive(Debug, Parser)]
#[command(name = "speedgate", version, max_term_width = 100, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Begin here:
  speedgate list                              the tasks and their steps
  speedgate practice simd                     what there is to win, with the reference solution
  speedgate workspace simd --out my           the tree to start from
  speedgate practice simd --workspace my      how fast yours is
  speedgate grade simd --step 01 --workspace my --out result

Exit codes:
  0 done, whatever the verdict    1 --require-pass and it did not pass    2 wrong usage
  3 bad task    4 unfit machine, no compiler or source not served    5 internal error";

#[derive(Debug, Subcommand)]
enum Command {
    List(list::List),
    Lint(lint::Lint),
    Workspace(workspace::Workspace),
    Solution(solution::Solution),
    Practice(practice::Practice),
    Check(check::Check),
    Grade(grade::Grade),
    Calibrate(calibrate::Calibrate),
    Selftest(selftest::Selftest),
    Doctor(doctor::Doctor),
}

/// What is put to the test: one of the two.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Candidate {
    /// Take the editable files from this folder
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Take the task's own reference solution
    #[arg(long)]
    solution: bool,
}

impl From<Candidate> for Entry {
    fn from(candidate: Candidate) -> Self {
        candidate.workspace.map_or(Entry::Solution, Entry::Workspace)
    }
}

/// Runs the command line.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            // Help and version are no errors and go to stdout; clap knows.
            let _ = e.print();
            return if e.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() };
        }
    };
    panic::set_hook(Box::new(|info| {
        eprintln!("speedgate failed, and it is not your fault: {info}");
        eprintln!("Please report it with the command line and the output above.");
    }));
    let exit = match panic::catch_unwind(|| run(cli.command)) {
        Ok(Ok(exit)) => exit,
        Ok(Err(error)) => error.show(),
        Err(_) => Exit::Internal,
    };
    exit.into()
}

fn run(command: Command) -> Result<Exit, CliError> {
    match command {
        Command::List(c) => c.run(),
        Command::Lint(c) => c.run(),
        Command::Workspace(c) => c.run(),
        Command::Solution(c) => c.run(),
        Command::Practice(c) => c.run(),
        Command::Check(c) => c.run(),
        Command::Grade(c) => c.run(),
        Command::Calibrate(c) => c.run(),
        Command::Selftest(c) => c.run(),
        Command::Doctor(c) => c.run(),
    }
}
