//! The tasks there are, and which of their steps can be graded.

use std::path::{Path, PathBuf};

use comfy_table::Cell;
use serde::Serialize;

use super::calibration::Calibration;
use crate::gate;
use crate::report::terminal::{self, Style};
use crate::task::lint::{self, Finding, Severity};
use crate::task::{self, Origin, Registry, Task, TaskError};

/// Name and version of the JSON form.
pub const SCHEMA: &str = "speedgate.list/1";

/// Every task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Catalogue {
    /// `speedgate.list/1`.
    pub schema: &'static str,
    /// In the order of their names.
    pub tasks: Vec<TaskEntry>,
}

/// One task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskEntry {
    /// Its name.
    pub name: String,
    /// One line for people; null when the task can't be read.
    pub title: Option<String>,
    /// Its folder.
    pub path: PathBuf,
    /// Where the library comes from; null when the task can't be read.
    pub source: Option<String>,
    /// Why nothing of it can be graded; null when something can.
    pub problem: Option<String>,
    /// Its steps in order.
    pub steps: Vec<StepEntry>,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepEntry {
    /// Identifier.
    pub id: String,
    /// Names of its functions.
    pub functions: Vec<String>,
    /// Whether it can be graded.
    pub state: State,
    /// Calibrated speedup of the reference solution; null when there is none.
    pub s_ref: Option<f64>,
    /// Calibrated mark; null when there is none.
    pub pass_at: Option<f64>,
}

/// Whether a step can be graded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It has a reference solution and marks.
    Ready,
    /// No reference solution was written.
    NoSolution,
    /// No marks: `speedgate calibrate` makes them.
    NotCalibrated,
    /// The library comes from a registry that this version can't fetch from.
    SourceNotSupported,
    /// The task's calibration can't be read.
    BadCalibration,
}

impl std::fmt::Display for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

/// Finds and reads a task by its name under `kernels/` or by a path. A path needs no root folder.
pub fn open(name_or_path: &str) -> Result<Task, TaskError> {
    let dir = match task::root() {
        Ok(root) => task::find(&root, name_or_path)?,
        Err(no_root) => task::find(Path::new("."), name_or_path).map_err(|_| no_root)?,
    };
    Task::load(&dir)
}

/// A call that takes less is lost in the stopwatch's own time, nanoseconds.
const SHORTEST_NS: f64 = 20.0;

/// Everything that was found in a task without building it, the worst first.
pub fn lint(task: &Task) -> Vec<Finding> {
    let mut findings = lint::lint(task);
    findings.extend(gate::lint(task));
    let steps = Calibration::read(&task.baselines()).map(|c| c.step).unwrap_or_default();
    for (name, ns) in steps.values().flat_map(|step| &step.reference_ns) {
        if *ns < SHORTEST_NS {
            findings.push(Finding {
                severity: Severity::Warning,
                place: name.clone(),
                message: format!(
                    "one call takes the reference {ns} ns: less than the stopwatch can tell well"
                ),
                help: "let the unit be longer: a whole plane, an array of items, a bulk entry"
                    .into(),
            });
        }
    }
    findings
}

/// Looks through a root folder. A task that can't be read is listed with its problem.
pub fn catalogue(root: &Path) -> Catalogue {
    Catalogue { schema: SCHEMA, tasks: task::list(root).into_iter().map(entry).collect() }
}

fn entry(dir: PathBuf) -> TaskEntry {
    match Task::load(&dir) {
        Ok(task) => describe(&task),
        Err(error) => TaskEntry {
            name: dir.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            title: None,
            path: dir,
            source: None,
            problem: Some(error.to_string()),
            steps: Vec::new(),
        },
    }
}

fn describe(task: &Task) -> TaskEntry {
    let baselines = task.baselines();
    let calibration = Calibration::read(&baselines);
    let fetched = match &task.source.origin {
        Origin::Tree(_) => true,
        Origin::Package { registry, .. } => *registry == Registry::Crate,
    };
    let steps = task.steps.iter().map(|step| {
        let marks = calibration.as_ref().ok().and_then(|c| c.marks(&step.id));
        let state = if !fetched {
            State::SourceNotSupported
        } else if !baselines.join(&step.id).is_dir() {
            State::NoSolution
        } else if calibration.is_err() {
            State::BadCalibration
        } else if marks.is_none() {
            State::NotCalibrated
        } else {
            State::Ready
        };
        StepEntry {
            id: step.id.clone(),
            functions: step.functions.iter().map(|f| task.functions[*f].name.clone()).collect(),
            state,
            s_ref: marks.map(|m| m.s_ref),
            pass_at: marks.map(|m| m.pass_at),
        }
    });
    TaskEntry {
        name: task.name.clone(),
        title: Some(task.title.clone()),
        path: task.dir.clone(),
        source: Some(source(&task.source.origin)),
        problem: calibration.as_ref().err().map(ToString::to_string),
        steps: steps.collect(),
    }
}

/// `tree src`, `crate simdutf 0.7.0`
fn source(origin: &Origin) -> String {
    match origin {
        Origin::Tree(folder) => format!("tree {folder}"),
        Origin::Package { registry, name, version, .. } => {
            let registry = match registry {
                Registry::Crate => "crate",
                Registry::Pypi => "pypi",
                Registry::Debian => "debian",
            };
            format!("{registry} {name} {version}")
        }
    }
}

/// A table for people, ending in a line break.
pub fn render(catalogue: &Catalogue, style: Style) -> String {
    let mut table =
        terminal::table(&["task", "step", "functions", "state", "needs s >"], &[2, 4], style);
    for task in &catalogue.tasks {
        if task.steps.is_empty() {
            table.add_row([task.name.as_str(), "-", "-", "bad-task", "-"]);
        }
        for (i, step) in task.steps.iter().enumerate() {
            let name = if i == 0 { task.name.as_str() } else { "" };
            table.add_row([
                Cell::new(name),
                Cell::new(&step.id),
                Cell::new(step.functions.len()),
                Cell::new(step.state),
                Cell::new(step.pass_at.map_or_else(|| "-".into(), terminal::ratio)),
            ]);
        }
    }
    let mut out = format!("{table}\n");
    for task in &catalogue.tasks {
        if let (Some(title), Some(source)) = (&task.title, &task.source) {
            out += &format!("{title} ({source})\n");
        }
        if let Some(problem) = &task.problem {
            out += &format!("{}: {problem}; see `speedgate lint {0}`\n", task.name);
        }
    }
    out
}
