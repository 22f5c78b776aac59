//! Code of a task's own, in C files below `gen/`: generators, and functions that give exact values. It
//! is linked with the pristine library, and runs in the oracle's worker and nowhere else.

use super::prototype::CType;
use super::{Fill, Function, Task};

/// A fill by a generator of the task's own.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnFill {
    /// Its name: `gen/NAME.c` defines `gen_NAME`.
    pub name: String,
    /// Options, each a list of numbers.
    pub options: Vec<(String, Vec<f64>)>,
    /// What its parameters are, in order.
    pub params: Vec<OwnParam>,
}

/// A parameter of an own generator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnParam {
    /// `out`: where the elements go.
    Out,
    /// `len`: how many.
    Len(CType),
    /// `seed`: what they depend on besides draws and options.
    Seed(CType),
    /// The value of a draw or scalar argument.
    Draw(String, CType),
    /// The numbers of an option, by its index.
    Option(usize),
}

impl OwnFill {
    /// The symbol that is called.
    pub fn symbol(&self) -> String {
        symbol(&self.name)
    }
}

/// Symbol of the own generator of this name.
pub fn symbol(name: &str) -> String {
    format!("gen_{name}")
}

/// The file of the task that defines a piece of own code.
pub fn file(name: &str) -> String {
    format!("gen/{name}.c")
}

impl Function {
    /// Whether its inputs or exact values come from code of the task's own.
    pub fn uses_own_code(&self) -> bool {
        self.exact.is_some() || self.fills().iter().any(|fill| matches!(fill, Fill::Own(_)))
    }

    /// Every fill of its buffers, those of profiles included, and those within others.
    fn fills(&self) -> Vec<&Fill> {
        let own = self.buffers.iter().map(|b| &b.fill);
        let profiles = self.profiles.iter().flat_map(|p| p.fills.iter().map(|(_, fill)| fill));
        let mut all: Vec<&Fill> = own.chain(profiles).collect();
        let mut next = 0;
        while let Some(&fill) = all.get(next) {
            match fill {
                Fill::Any(list) => all.extend(list),
                Fill::Twins(of) => all.push(of),
                _ => {}
            }
            next += 1;
        }
        all
    }
}

impl Task {
    /// Symbols and files of the task's own code, each once, in the order in which the oracle's
    /// worker has them behind those of the contract.
    pub fn own_code(&self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        for f in &self.functions {
            all.extend(f.exact.iter().map(|name| (name.clone(), file(name))));
            all.extend(f.fills().into_iter().filter_map(|fill| match fill {
                Fill::Own(own) => Some((own.symbol(), file(&own.name))),
                _ => None,
            }));
        }
        all.sort();
        all.dedup();
        all
    }

    /// Headers beside the own code.
    fn own_headers(&self) -> Vec<String> {
        let folder = std::fs::read_dir(self.dir.join("gen")).into_iter().flatten().flatten();
        let names = folder.filter_map(|entry| entry.file_name().into_string().ok());
        let mut headers: Vec<String> =
            names.filter(|name| name.ends_with(".h")).map(|name| format!("gen/{name}")).collect();
        headers.sort();
        headers
    }

    /// The task whose library has the own code too; none where there is none.
    pub fn with_own_code(&self) -> Option<Task> {
        let own = self.own_code();
        let mut task = self.clone();
        let first = task.functions.first_mut().filter(|_| !own.is_empty())?;
        first.symbols.extend(own.iter().map(|(symbol, _)| symbol.clone()));
        for (_, file) in own {
            task.build.sources.push(file.clone());
            task.source.own.push(file);
        }
        task.source.own.extend(self.own_headers());
        Some(task)
    }
}
