//! `speedgate check`

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::{Candidate, CliError, Exit, output};
use crate::report::progress::Terminal;
use crate::verdict::grading;
use crate::verdict::inspect::{self, Tool};
use crate::verdict::request::{Seed, TryRequest};
use crate::verdict::under::{self, Debugger};

/// Check outputs only, without timing
///
/// Calls the functions on sizes and inputs made for trouble and compares every output with the
/// reference's. A failure shows the first differing bytes and the command that shows it again; the
/// other functions are checked all the same.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  speedgate check simd --workspace my
  speedgate check simd --step 02 --workspace my
  speedgate check simd --workspace my --function bilinear
  speedgate check simd --workspace my --seed 0123456789abcdef0123456789abcdef
  speedgate check simd --workspace my --replay bilinear:17
  speedgate check simd --workspace my --replay bilinear:17 --under gdb
  speedgate check simd --workspace my --sanitize")]
pub struct Check {
    /// Name of a task under `kernels/`, or a path to its folder
    task: String,
    /// Only this step and the earlier ones: its identifier or the beginning of it, such as `01`
    #[arg(long)]
    step: Option<String>,
    #[command(flatten)]
    candidate: Candidate,
    /// Inputs of this seed, as a report prints it, instead of the public ones
    #[arg(long, default_value_t = Seed::PUBLIC, hide_default_value = true)]
    seed: Seed,
    /// Only this function; give it several times for several
    #[arg(long, value_name = "NAME", conflicts_with = "replay")]
    function: Vec<String>,
    /// Only this case, as the report of its failure names it, in a fresh process; or several in
    /// order, separated by commas
    #[arg(long, value_name = "CASE")]
    replay: Option<String>,
    /// Make the calls of `--replay` in gdb, stopping at the function, or in valgrind: your own code,
    /// with debug information, outside of the sandbox. Nothing is compared
    #[arg(long, value_name = "TOOL", value_parser = debuggers(), requires = "replay")]
    #[arg(conflicts_with_all = ["json", "require_pass", "sanitize", "ctgrind"])]
    under: Option<Debugger>,
    /// Build with AddressSanitizer and UndefinedBehaviorSanitizer and print what they find, with
    /// places in the source; runs your code outside of the sandbox, and is no verdict
    #[arg(long, conflicts_with = "ctgrind")]
    sanitize: bool,
    /// Run under valgrind with `secret` buffers undefined and print branches and addresses that
    /// depend on them; runs your code outside of the sandbox, and is no verdict
    #[arg(long)]
    ctgrind: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// Exit with 1 unless every output is right
    #[arg(long)]
    require_pass: bool,
}

impl Check {
    pub(super) fn run(self) -> Result<Exit, CliError> {
        let request = TryRequest {
            task: self.task,
            step: self.step,
            entry: self.candidate.into(),
            seed: self.seed,
            functions: self.function,
            replay: self.replay,
        };
        if let Some(debugger) = self.under {
            under::run(&request, debugger, &Terminal::stderr())?;
            return Ok(Exit::Done);
        }
        let tool = match (self.sanitize, self.ctgrind) {
            (true, _) => Some(Tool::Sanitizers),
            (_, true) => Some(Tool::Memcheck),
            _ => None,
        };
        if let Some(tool) = tool {
            let found = inspect::inspect(&request, tool, &Terminal::stderr())?;
            match self.json {
                true => output::json(&found)?,
                false => output::text(&inspect::render(&found))?,
            }
            let fails = self.require_pass && !found.clean();
            return Ok(if fails { Exit::NotPassed } else { Exit::Done });
        }
        let record = grading::check(&request, &Terminal::stderr())?;
        output::record(&record, self.json, self.require_pass)
    }
}

fn debuggers() -> impl TypedValueParser<Value = Debugger> {
    PossibleValuesParser::new(["gdb", "valgrind"])
        .map(|name| if name == "gdb" { Debugger::Gdb } else { Debugger::Valgrind })
}
