//! What a valid manifest can still get wrong: files that are missing, sizes that come out
//! negative or huge for some draw, outputs that nobody compares. Nothing is built or run.

mod function;
#[cfg(test)]
mod tests;

use serde::Serialize;

use super::files::{Files, globs};
use super::{Function, Lang, Origin, Task};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Worth a look.
    Warning,
    /// The task can't be graded, or not fairly.
    Error,
}

/// Something an author should change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// Where: a step, function, profile or file.
    pub place: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

/// Everything that was found in a task, the worst first.
pub fn lint(task: &Task) -> Vec<Finding> {
    let mut findings = Findings(Vec::new());
    for (i, step) in task.steps.iter().enumerate() {
        instruction(task, i, &mut findings);
        solution(task, &step.id, &mut findings);
    }
    if !task.baselines().join("calibration.toml").is_file() {
        findings.warning(
            "calibration.toml",
            "the task is not calibrated, so nothing can pass",
            "run `speedgate calibrate` once the reference solution is final",
        );
    }
    contract(task, &mut findings);
    sources(task, &mut findings);
    for f in &task.functions {
        function::check(task, f, &mut findings);
    }
    findings.0.sort_by_key(|f| std::cmp::Reverse(f.severity));
    findings.0
}

/// Findings so far.
struct Findings(Vec<Finding>);

impl Findings {
    fn add(
        &mut self,
        severity: Severity,
        place: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let (place, message, help) = (place.into(), message.into(), help.into());
        let finding = Finding { severity, place, message, help };
        if !self.0.contains(&finding) {
            self.0.push(finding);
        }
    }

    fn error(
        &mut self,
        place: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.add(Severity::Error, place, message, help);
    }

    fn warning(
        &mut self,
        place: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.add(Severity::Warning, place, message, help);
    }
}

/// Whether a text holds a name as a word of its own.
fn mentions(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(part) && !text[at + name.len()..].starts_with(part))
}

/// Symbols that the unit of a function calls.
fn called(f: &Function) -> impl Iterator<Item = &str> {
    f.calls.iter().filter_map(|c| f.symbols.get(c.symbol)).map(String::as_str)
}

/// Each step says what to do, and to which functions.
fn instruction(task: &Task, step: usize, findings: &mut Findings) {
    let step = &task.steps[step];
    let file = format!("steps/{}/instruction.md", step.id);
    let Ok(text) = std::fs::read_to_string(task.dir.join(&file)) else {
        findings.error(
            file,
            "the step has no instruction",
            "say which functions are to get faster",
        );
        return;
    };
    for f in step.functions.iter().map(|i| &task.functions[*i]) {
        if !mentions(&text, &f.name) && !called(f).any(|s| mentions(&text, s)) {
            let message = format!("scored function `{}` is not mentioned", f.name);
            findings.error(&*file, message, "name every function that counts");
        }
    }
}

/// Each step has a reference solution: files, or a recipe.
fn solution(task: &Task, step: &str, findings: &mut Findings) {
    let dir = task.baselines().join(step);
    let any = walkdir::WalkDir::new(&dir).into_iter().flatten().any(|e| e.file_type().is_file());
    if !any {
        findings.error(
            format!("baselines/{}/{step}", task.name),
            "the step has no reference solution",
            "put your own editable files there, or a solution.toml that takes them from upstream",
        );
    }
}

/// The headers in `include/` declare every symbol.
fn contract(task: &Task, findings: &mut Findings) {
    let files = walkdir::WalkDir::new(task.dir.join("include")).into_iter().flatten();
    let headers: Vec<String> =
        files.filter_map(|e| std::fs::read_to_string(e.path()).ok()).collect();
    if headers.is_empty() {
        let help = "put a header with plain C declarations there";
        findings.warning("include/", "there is no header for the contract", help);
        return;
    }
    for symbol in task.functions.iter().flat_map(|f| &f.symbols) {
        if !headers.iter().any(|text| mentions(text, symbol)) {
            let message = format!("no header declares `{symbol}`");
            findings.warning("include/", message, "declare every symbol that is called");
        }
    }
}

/// In a library of the task's own, every glob should match something. (What a package holds is
/// known only once it is fetched.)
fn sources(task: &Task, findings: &mut Findings) {
    let Origin::Tree(tree) = &task.source.origin else { return };
    let root = task.dir.join(tree).join(&task.source.root);
    let mut files: Vec<String> = match Files::read(&root) {
        Ok(files) => files.0.into_keys().collect(),
        Err(e) => {
            findings.error("[source]", format!("the tree can't be read: {e}"), "plain files only");
            return;
        }
    };
    files.extend(task.source.shim.iter().map(|s| s.rsplit('/').next().unwrap_or(s).to_owned()));
    let rust = task.build.lang == Lang::Rust;
    for glob in &task.build.sources {
        if !matched(&files, std::slice::from_ref(glob)) {
            let message = format!("source glob `{glob}` matches no file yet");
            findings.warning("[build]", message, "fine if a solution adds files there");
        }
    }
    if !rust && !matched(&files, &task.build.sources) {
        findings.error("[build]", "`sources` match no file", "globs are relative to the tree");
    }
    if !matched(&files, &task.build.editable) {
        let message = "no file of the tree is editable";
        findings.error("[build]", message, "globs are relative to the tree");
    }
}

/// Whether any glob matches any file.
fn matched(files: &[String], patterns: &[String]) -> bool {
    globs(patterns).is_ok_and(|set| files.iter().any(|f| set.is_match(f)))
}
