//! What a build is known by: everything that its bytes depend on.

use sha2::{Digest, Sha256};

use super::compile::RULES;
use super::toolchain::Toolchain;
use crate::task::files::Files;
use crate::task::{Lang, Task};

/// Kind of the cache entries that hold the objects of a tree.
pub(super) const OBJECTS: &str = "objects";
/// Kind of those that hold one layout of a library, audited.
pub(super) const LIBRARIES: &str = "libraries";
/// The one file of such an entry.
pub(super) const LIBRARY: &str = "library.so";

/// Key of the objects: the tree, the flags, the compilers.
pub(super) fn objects_key(task: &Task, tree: &Files, tools: &Toolchain) -> String {
    let spec = &task.build;
    let mut key = Key::default();
    key.add(RULES).add(&tree.sha256()).add(match spec.lang {
        Lang::C => "c",
        Lang::Cxx => "c++",
        Lang::Rust => "rust",
    });
    let permits: Vec<String> = spec.permit.iter().map(|p| p.name().to_owned()).collect();
    key.list(&permits).list(&spec.flags).list(&spec.sources).list(&spec.include);
    for part in &spec.overrides {
        key.list(&part.files).list(&part.flags);
    }
    if let Some(rust) = &tools.rust {
        key.add(&rust.rustc.sha256).add(&rust.cargo.sha256);
    }
    key.add(&tools.cc.sha256).add(tools.cxx.as_ref().map_or("", |cxx| &cxx.sha256));
    key.finish()
}

/// Key of a library: the objects, those of the reference that it was audited against, the
/// contract, the linker and the layout.
pub(super) fn library_key(
    (objects, reference): (&str, Option<&str>),
    task: &Task,
    symbols: &[String],
    tools: &Toolchain,
    seed: u64,
) -> String {
    let mut key = Key::default();
    key.add(objects).add(&task.name).list(symbols);
    if let Some(reference) = reference {
        key.add(reference).add(&task.limits.growth_mb.to_string());
    }
    key.add(&tools.ld.sha256).add(if tools.shuffles() { "shuffled" } else { "fixed" });
    key.add(&seed.to_string());
    key.finish()
}

#[derive(Default)]
struct Key(Sha256);

impl Key {
    /// Lengths first, so that no two lists of parts spell the same key.
    fn add(&mut self, part: &str) -> &mut Key {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
        self
    }

    fn list(&mut self, parts: &[String]) -> &mut Key {
        self.add(&parts.len().to_string());
        for part in parts {
            self.add(part);
        }
        self
    }

    fn finish(self) -> String {
        hex::encode(self.0.finalize())
    }
}
