//! The calls of a replay in a process that a debugger looks into: an engineer's own code, with debug
//! information, outside of the sandbox. It gives no verdict.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use speedgate_harness::ALONE;

use super::catalogue;
use super::error::EngineError;
use super::grading::{overlay, readable, replayed};
use super::request::{Entry, TryRequest};
use super::setup::Setup;
use crate::build::Overlay;
use crate::build::practice::Extra;
use crate::gate::own::{Blank, Own};
use crate::gate::{Case, Seed};
use crate::report::progress::Progress;
use crate::task::Cache;
use crate::worker::request::{Mode, Request, Slots, Tables, Wanted};
use crate::worker::save_request;

/// What looks into the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Debugger {
    /// Stops where the function begins.
    Gdb,
    /// Memcheck.
    Valgrind,
}

impl Debugger {
    /// Where it is, if it is installed. Its package has its name.
    fn find(self) -> Result<PathBuf, EngineError> {
        let what = match self {
            Debugger::Gdb => "gdb",
            Debugger::Valgrind => "valgrind",
        };
        let path = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&path).map(|dir| dir.join(what)).find(|p| p.is_file());
        found.ok_or(EngineError::NoTool { what, package: what })
    }
}

/// Builds the candidate, makes the calls' inputs and starts the tool, which has the terminal until
/// it ends.
///
/// # Errors
/// When the tool is missing, there are no such calls, or the candidate does not build.
pub fn run(
    req: &TryRequest,
    debugger: Debugger,
    progress: &dyn Progress,
) -> Result<(), EngineError> {
    let program = debugger.find()?;
    let task = catalogue::open(&req.task)?;
    let step = req.step.as_deref().map(|s| task.step(s)).transpose()?;
    readable(&req.entry)?;
    let cases = replayed(&task, req.replay.as_deref().unwrap_or_default())?;
    let setup = Setup::new(&task)?;
    let step = step.unwrap_or(task.steps.len().saturating_sub(1));
    progress.stage("building the candidate for the debugger", None);
    let built = setup.build_practice(overlay(&req.entry, step), Extra::Debug)?;
    let folder = tempfile::tempdir().map_err(|e| system("can't make a folder", e))?;
    let library = folder.path().join("library.so");
    fs::write(&library, &built.library).map_err(|e| system("can't write the library", e))?;
    let arenas = requests(&setup, req.seed, &cases, folder.path(), progress)?;

    let mut command = Command::new(program);
    match debugger {
        Debugger::Gdb => {
            let last = cases.last().map(|case| &task.functions[case.function]);
            command.args(["-q", "-ex", "set breakpoint pending on", "-ex", "set confirm off"]);
            if let Entry::Workspace(dir) = &req.entry {
                command.arg("-ex").arg(format!("directory {}", dir.display()));
            }
            for call in last.map_or(&[][..], |f| &f.calls) {
                let symbols = last.map_or(&[][..], |f| &f.symbols);
                command.arg("-ex").arg(format!("break {}", symbols[call.symbol]));
            }
            command.args(["-ex", "run", "--args"]);
        }
        Debugger::Valgrind => {
            command.args(["--tool=memcheck", "-q", "--track-origins=yes"]);
        }
    }
    command.args(calls(&library, &arenas, &setup.symbols)?);
    command.status().map(drop).map_err(|e| system("can't start the tool", e))
}

/// The command line of the process that makes the calls.
fn calls(
    library: &Path,
    arenas: &[PathBuf],
    symbols: &[String],
) -> Result<Vec<std::ffi::OsString>, EngineError> {
    let own = std::env::current_exe().map_err(|e| system("can't find this program", e))?;
    let mut all = vec![own.into_os_string(), ALONE.into(), library.into()];
    all.push(arenas.len().to_string().into());
    all.extend(arenas.iter().map(|arena| arena.clone().into_os_string()));
    all.extend(symbols.iter().map(Into::into));
    Ok(all)
}

/// The requests of these cases as files.
fn requests(
    setup: &Setup<'_>,
    seed: Seed,
    cases: &[Case],
    folder: &Path,
    progress: &dyn Progress,
) -> Result<Vec<PathBuf>, EngineError> {
    let (task, symbols) = (setup.task, &setup.symbols[..]);
    // Generators of the task's own run where they always do.
    let mut oracle = if cases.iter().any(|case| task.functions[case.function].uses_own_code()) {
        let reference = setup.build("reference", Overlay::Pristine, &[0], progress)?;
        let (mut oracle, _) = setup.oracle(&reference, progress)?;
        oracle.resume().map_err(|fate| EngineError::Reference(fate.to_string()))?;
        Some(oracle)
    } else {
        None
    };
    let mut slots = Slots::default();
    let mut files = Vec::with_capacity(cases.len());
    for (number, case) in cases.iter().enumerate() {
        let (call, _) = match &mut oracle {
            Some(oracle) => case.make(seed, task, symbols, &mut Own { task, symbols, oracle }),
            None => case.make(seed, task, symbols, &mut Blank),
        }?;
        let calls = std::slice::from_ref(&call);
        let tables = Tables::new(calls, &mut slots, Wanted::Nothing, None)
            .map_err(|unfit| EngineError::Reference(unfit.to_string()))?;
        let tables = Arc::new(tables);
        let payload = tables.payload(calls);
        let mode = Mode::Plain { read_only: true };
        let request = Request {
            tables: &tables,
            mode,
            cache: Cache::Warm,
            payload: &payload,
            poison: case.poison(),
        };
        let file = folder.join(format!("call-{number}"));
        save_request(&request, &file).map_err(|e| system("can't write a call's inputs", e))?;
        files.push(file);
    }
    Ok(files)
}

fn system(act: &str, source: std::io::Error) -> EngineError {
    EngineError::System { act: act.into(), source }
}
