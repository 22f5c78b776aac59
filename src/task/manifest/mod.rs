//! `task.toml` → [`Task`]: reads the text, then checks every name and number in it. All problems
//! are reported together, each with its place in the file.

mod arguments;
mod buffer;
mod build;
mod calls;
mod draws;
mod entries;
mod fill;
mod function;
mod loose;
mod make;
mod own;
mod profile;
mod raw;
mod report;
mod same;
pub mod schema;
mod setup;
mod source;
#[cfg(test)]
mod tests;
mod value;

use std::path::Path;

use toml::Spanned;

use super::error::TaskError;
use super::locate::MANIFEST;
use super::model::{Decide, Function, Limits, Step, Task};
use super::vocabulary::suggest;
use report::Report;

impl Task {
    /// Reads and checks the manifest in a task's folder.
    pub fn load(dir: &Path) -> Result<Task, TaskError> {
        let path = dir.join(MANIFEST);
        let text = std::fs::read_to_string(&path)
            .map_err(|source| TaskError::Unreadable { path: path.clone(), source })?;
        Task::parse(dir, &text)
    }

    /// Checks the text of a manifest as if it stood in `dir`, where the files it names must be.
    pub fn parse(dir: &Path, text: &str) -> Result<Task, TaskError> {
        let mut report = Report::new(dir.join(MANIFEST).display().to_string(), text);
        let manifest: raw::Manifest = match toml::from_str(text) {
            Ok(manifest) => manifest,
            Err(error) => {
                report.toml(&error);
                return Err(report.into_error());
            }
        };
        let task = check(dir, manifest, &mut report);
        match task {
            Some(task) if report.is_clean() => Ok(task),
            _ => Err(report.into_error()),
        }
    }
}

fn check(dir: &Path, manifest: raw::Manifest, report: &mut Report) -> Option<Task> {
    let name = task_name(dir, &manifest.task, report);
    let source = source::source(dir, &manifest.source, report);
    let build = build::build(&manifest.build, source.as_ref(), report);
    let setup = manifest.setup.as_ref().map(|table| setup::setup(dir, table, report));
    let decide = match &manifest.verdict.decide {
        None => Some(Decide::PassAt),
        Some(word) => report.choice(word, &[("pass_at", Decide::PassAt), ("s_ref", Decide::SRef)]),
    };
    let limits = limits(&manifest.limits, report);
    let mut unordered: Vec<(&Spanned<String>, Option<Function>)> = Vec::new();
    for (name, table) in &manifest.function {
        let timed = !entries::is_entry(&manifest, name.get_ref());
        unordered.push((name, function::function(dir, name, table.get_ref(), timed, report)));
    }
    let (steps, scored) = steps(&manifest, report);
    let (order, entries) = entries::place(&manifest, scored, report);
    let mut functions =
        order.into_iter().map(|i| unordered[i].1.take()).collect::<Option<Vec<Function>>>()?;
    for (function, entry) in functions.iter_mut().zip(entries) {
        function.entry = entry;
    }
    Some(Task {
        dir: dir.to_path_buf(),
        name: name?,
        title: manifest.task.title,
        source: source?,
        setup: setup.map_or(Some(None), |setup| setup.map(Some))?,
        build: build?,
        steps,
        functions,
        decide: decide?,
        limits: limits?,
    })
}

fn task_name(dir: &Path, task: &raw::TaskTable, report: &mut Report) -> Option<String> {
    let name = task.name.get_ref();
    if !is_slug(name) {
        let help = "lower-case letters, digits, `-` and `_`, a letter or digit first";
        return report.bad(task.name.span(), format!("`{name}` is no name for a task"), help);
    }
    let folder = |p: &Path| p.file_name().map(|n| n.to_string_lossy().into_owned());
    let real = std::fs::canonicalize(dir).unwrap_or_else(|_| dir.to_path_buf());
    let in_kernels = real.parent().and_then(folder).is_some_and(|n| n == "kernels");
    match folder(&real) {
        Some(folder) if in_kernels && folder != *name => report.bad(
            task.name.span(),
            format!("the task is called `{name}`, its folder `{folder}`"),
            "give both the same name: baselines and results are filed under it",
        ),
        _ => Some(name.clone()),
    }
}

/// Whether a text can name a task or step: it becomes a file name and a word in reports.
fn is_slug(text: &str) -> bool {
    let fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.starts_with(fine) && text.chars().all(|c| fine(c) || c == '-' || c == '_')
}

fn limits(table: &raw::LimitsTable, report: &mut Report) -> Option<Limits> {
    let mut positive = |value: &Option<Spanned<u64>>, default: u64| match value {
        Some(v) if *v.get_ref() == 0 => report.bad(
            v.span(),
            "a limit of 0 lets nothing through",
            "leave the key out for the default",
        ),
        Some(v) => Some(*v.get_ref()),
        None => Some(default),
    };
    let grade_seconds = positive(&table.grade_seconds, 600);
    let build_seconds = positive(&table.build_seconds, 300);
    let memory_mb = positive(&table.memory_mb, 1024);
    let timing_seconds = positive(&table.timing_seconds, 40);
    let growth_mb = positive(&table.growth_mb, 4);
    let noise = match &table.noise {
        Some(v) if !(0.001..=1.0).contains(v.get_ref()) => report.bad(
            v.span(),
            "the noise that a machine may have is a share between 0.001 and 1",
            "0.05 is 5 %",
        ),
        Some(v) => Some(*v.get_ref()),
        None => Some(0.2),
    };
    let reuse = match &table.reuse {
        Some(v) if !(0.0..=1.0).contains(v.get_ref()) => {
            report.bad(v.span(), "`reuse` is a share between 0 and 1", "0.3 is 30 %")
        }
        Some(v) => Some(Some(*v.get_ref())),
        None => Some(None),
    };
    Some(Limits {
        noise: noise?,
        reuse: reuse?,
        grade_seconds: grade_seconds?,
        build_seconds: build_seconds?,
        memory_mb: memory_mb?,
        timing_seconds: timing_seconds?,
        growth_mb: growth_mb?,
    })
}

/// The steps, with functions numbered in their order, and that order as indices into the
/// manifest's function tables.
fn steps(manifest: &raw::Manifest, report: &mut Report) -> (Vec<Step>, Vec<usize>) {
    let mut steps: Vec<Step> = Vec::new();
    let mut order: Vec<usize> = Vec::new();
    for table in &manifest.step {
        let id = table.id.get_ref();
        if !is_slug(id) {
            let help = "lower-case letters, digits and `-`, such as `01-resizing`";
            report.note(table.id.span(), format!("`{id}` is no id for a step"), help);
        }
        if steps.iter().any(|s| s.id == *id) {
            report.note(table.id.span(), format!("there are two steps `{id}`"), "rename one");
        }
        if table.functions.get_ref().is_empty() {
            let help = "name at least one `[function.NAME]`";
            report.note(table.functions.span(), format!("step `{id}` has no function"), help);
        }
        let mut functions = Vec::new();
        for name in table.functions.get_ref() {
            let Some(index) = manifest.function.get_index_of(name.get_ref().as_str()) else {
                let help =
                    suggest(name.get_ref(), manifest.function.keys().map(|k| k.get_ref().as_str()));
                let message = format!("there is no `[function.{}]`", name.get_ref());
                report.note(name.span(), message, help);
                continue;
            };
            if order.contains(&index) {
                let message = format!("`{}` already belongs to a step", name.get_ref());
                let help = "steps are cumulative: list each function once, where it is scored";
                report.note(name.span(), message, help);
                continue;
            }
            functions.push(order.len());
            order.push(index);
        }
        steps.push(Step { id: id.clone(), functions });
    }
    if manifest.step.is_empty() {
        report.note(0..0, "the task has no `[[step]]`", "add one with `id` and `functions`");
    }
    for (index, name) in manifest.function.keys().enumerate() {
        if !order.contains(&index) && !entries::is_entry(manifest, name.get_ref()) {
            let message = format!("function `{}` belongs to no step", name.get_ref());
            report.note(name.span(), message, "add its name to a step's `functions`");
        }
    }
    (steps, order)
}
