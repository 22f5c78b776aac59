//! An engineer's own code under a tool that looks into it: the gate's plan with sanitizers, or with
//! memcheck following what is secret. Outside of the sandbox, and never a verdict.

mod findings;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;
use speedgate_harness::practice::SECRET;

use super::catalogue;
use super::error::EngineError;
use super::grading::{asked, functions_of, overlay, readable};
use super::request::TryRequest;
use super::setup::Setup;
use super::trial::Only;
use crate::build::Overlay;
use crate::build::practice::{self, Extra};
use crate::gate::{Case, Gate, Plan, Stopped, Tally};
use crate::report::progress::Progress;
use crate::task::Task;
use crate::worker::{Worker, Workshop};

/// Name and version of the JSON form.
pub const SCHEMA: &str = "speedgate.inspection/1";

/// What looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tool {
    /// AddressSanitizer and UndefinedBehaviorSanitizer, built into the library.
    Sanitizers,
    /// valgrind's memcheck, to which the content of `secret` buffers is undefined: it tells where
    /// a branch or an address depends on it.
    Memcheck,
}

/// What was found.
#[derive(Debug, Clone, Serialize)]
pub struct Inspection {
    /// `speedgate.inspection/1`.
    pub schema: &'static str,
    /// What looked.
    pub tool: Tool,
    /// Name of the task.
    pub task: String,
    /// Each function that was called.
    pub functions: Vec<Inspected>,
    /// Seed of the inputs.
    pub seed: String,
    /// How long it took.
    pub seconds: f64,
}

/// What was found of one function.
#[derive(Debug, Clone, Serialize)]
pub struct Inspected {
    /// Name in the manifest.
    pub name: String,
    /// Cases of the plan.
    pub planned: u64,
    /// Cases that were called, up to the one with a finding.
    pub called: u64,
    /// The first finding.
    pub finding: Option<Finding>,
}

/// Something that the tool, or the gate, has to say.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// The case, as `--replay` takes it.
    pub case: String,
    /// What the gate saw; null where every output was right.
    pub gate: Option<String>,
    /// What the tool wrote, with places in the source. Empty where only the gate saw something.
    pub report: String,
}

impl Inspection {
    /// Whether nothing was found.
    pub fn clean(&self) -> bool {
        self.functions.iter().all(|f| f.finding.is_none())
    }
}

/// Calls the candidate's functions under the tool, on the gate's cases.
///
/// # Errors
/// When the machine lacks the tool, or the library can't be built.
pub fn inspect(
    req: &TryRequest,
    tool: Tool,
    progress: &dyn Progress,
) -> Result<Inspection, EngineError> {
    let begin = Instant::now();
    let under = program(tool)?;
    let task = catalogue::open(&req.task)?;
    let step = req.step.as_deref().map(|s| task.step(s)).transpose()?;
    readable(&req.entry)?;
    let only = asked(req, &task, step)?;
    let step = step.unwrap_or(task.steps.len().saturating_sub(1));
    let functions = match &only {
        Only::Calls(cases) => functions_of(cases),
        Only::Functions(functions) => functions.clone(),
        Only::Everything => task.functions_up_to(step),
    };
    let functions: Vec<usize> =
        functions.into_iter().filter(|&f| concerns(tool, &task, f)).collect();
    if functions.is_empty() {
        return Err(EngineError::NoSecret { task: task.name.clone() });
    }
    let setup = Setup::new(&task)?;
    let mut session = Session::open(&setup, tool, under, overlay(&req.entry, step), progress)?;
    let gate = Gate {
        task: &task,
        symbols: &setup.symbols,
        seed: req.seed,
        algorithm: setup.algorithm,
        deadline: Instant::now() + Duration::from_secs(task.limits.grade_seconds),
    };
    progress.stage("calling", Some(functions.len() as u64));
    let mut inspected = Vec::with_capacity(functions.len());
    for (&function, done) in functions.iter().zip(1..) {
        let cases = match &only {
            Only::Calls(cases) => {
                cases.iter().filter(|case| case.function == function).cloned().collect()
            }
            _ => Plan::PRACTICE.cases(&task, function),
        };
        inspected.push(session.function(&gate, function, &cases)?);
        progress.done(done);
    }
    let (task, seed) = (task.name.clone(), req.seed.to_string());
    let seconds = begin.elapsed().as_secs_f64();
    Ok(Inspection { schema: SCHEMA, tool, task, functions: inspected, seed, seconds })
}

/// Whether a tool has anything to look for in a function.
fn concerns(tool: Tool, task: &Task, function: usize) -> bool {
    tool == Tool::Sanitizers || !task.functions[function].secret.is_empty()
}

/// The tool's command line; what it is made of is looked for where systems keep it.
fn program(tool: Tool) -> Result<Vec<OsString>, EngineError> {
    if tool == Tool::Sanitizers {
        return Ok(Vec::new());
    }
    let places = ["/usr/bin/valgrind", "/usr/local/bin/valgrind"];
    let valgrind = places.into_iter().find(|place| Path::new(place).is_file());
    let valgrind = valgrind.ok_or(EngineError::NoTool { what: "valgrind", package: "valgrind" })?;
    // Origins tell what comes from a secret from what was never written.
    let options = ["--tool=memcheck", "-q", "--track-origins=yes", "--error-limit=no"];
    Ok([valgrind].into_iter().chain(options).map(OsString::from).collect())
}

/// A library built for the tool, and who answers beside it.
struct Session<'s> {
    setup: &'s Setup<'s>,
    tool: Tool,
    shop: Workshop,
    oracle: Worker,
    /// Holds library, log and the worker's name.
    folder: tempfile::TempDir,
}

const LOG: &str = "log";

impl<'s> Session<'s> {
    fn open(
        setup: &'s Setup<'s>,
        tool: Tool,
        under: Vec<OsString>,
        overlay: Overlay<'_>,
        progress: &dyn Progress,
    ) -> Result<Self, EngineError> {
        let reference = setup.build("reference", Overlay::Pristine, &[LAYOUT], progress)?;
        let extra = match tool {
            Tool::Sanitizers => Extra::Sanitizers,
            Tool::Memcheck => Extra::Debug,
        };
        progress.stage("building the candidate for the tool", None);
        let built = setup.build_practice(overlay, extra)?;
        let folder = tempfile::tempdir().map_err(scratch)?;
        let library = folder.path().join("library.so");
        fs::write(&library, &built.library).map_err(scratch)?;
        let log = File::create(folder.path().join(LOG)).map_err(scratch)?;
        let (oracle, _) = setup.oracle(&reference, progress)?;
        let shop = Workshop {
            library,
            tool: under,
            environment: environment(&built),
            log,
            folder: folder.path().to_owned(),
        };
        Ok(Self { setup, tool, shop, oracle, folder })
    }

    /// Calls one function, in a process of its own, until there is something to say.
    fn function(
        &mut self,
        gate: &Gate<'_>,
        function: usize,
        cases: &[Case],
    ) -> Result<Inspected, EngineError> {
        let f = &gate.task.functions[function];
        let secrets: Vec<String> = f.secret.iter().map(usize::to_string).collect();
        self.shop.environment.retain(|(name, _)| *name != SECRET);
        if self.tool == Tool::Memcheck {
            self.shop.environment.push((SECRET, secrets.join(",").into()));
        }
        let mut inspected = Inspected {
            name: f.name.clone(),
            planned: cases.len() as u64,
            called: 0,
            finding: None,
        };
        let mut worker = self.setup.start_practice(&self.shop).map_err(|fate| {
            let log = self.read().unwrap_or_default();
            EngineError::Tool { message: format!("{fate}\n{log}") }
        })?;
        let mut seen = Tally::new(&|_| {});
        for case in cases {
            let before = self.read()?.len();
            let gate_says = match gate.run(
                std::slice::from_ref(case),
                &mut self.oracle,
                &mut worker,
                &mut seen,
            ) {
                Ok(_) => None,
                Err(Stopped::Candidate(failure)) => Some(failure.message),
                Err(late @ Stopped::Late { .. }) => {
                    return Err(EngineError::Tool { message: late.to_string() });
                }
                Err(Stopped::Task(error)) => return Err(error.into()),
                Err(other) => return Err(EngineError::Reference(other.to_string())),
            };
            inspected.called += 1;
            let report = self.report(before)?;
            if gate_says.is_some() || !report.is_empty() {
                let case = case.name(gate.task);
                inspected.finding = Some(Finding { case, gate: gate_says, report });
                break;
            }
        }
        Ok(inspected)
    }

    /// What the tool wrote since.
    fn report(&self, before: usize) -> Result<String, EngineError> {
        let log = self.read()?;
        let new = log.get(before..).unwrap_or_default();
        Ok(match self.tool {
            Tool::Sanitizers => findings::sanitizers(new),
            Tool::Memcheck => findings::memcheck(new),
        })
    }

    fn read(&self) -> Result<String, EngineError> {
        let bytes = fs::read(self.folder.path().join(LOG)).map_err(scratch)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Seed of the layout of the reference.
const LAYOUT: u64 = 1;

/// What the sanitizers' runtimes need: to be there first, and to end the process at once.
fn environment(built: &practice::Practice) -> Vec<(&'static str, OsString)> {
    if built.runtimes.is_empty() {
        return Vec::new();
    }
    // Leaks are no matter of single calls; what is freed is held back long enough to be seen.
    let address = "detect_leaks=0:quarantine_size_mb=16:abort_on_error=0:color=never";
    vec![
        ("LD_PRELOAD", built.runtimes.join(":").into()),
        ("ASAN_OPTIONS", address.into()),
        ("UBSAN_OPTIONS", "print_stacktrace=1:halt_on_error=1:color=never".into()),
    ]
}

fn scratch(source: io::Error) -> EngineError {
    EngineError::System { act: "can't write to a temporary folder".into(), source }
}

/// The findings for people, ending in a line break.
pub fn render(inspection: &Inspection) -> String {
    findings::render(inspection)
}
