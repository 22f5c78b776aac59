//! What the manifests of a Rust tree say: which crates there are, and which files decide about
//! the build.

use std::collections::BTreeSet;

use crate::task::files::Files;

/// The crates of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::build) struct Workspace {
    /// Name of the library that the root package makes.
    pub library: String,
    /// All crates, by folder.
    crates: Vec<Crate>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Crate {
    /// Its folder, empty or ending in `/`.
    folder: String,
    name: String,
    /// The file that its library begins with, inside the tree.
    root: String,
    /// Its build script, inside the tree, whether there or not.
    script: String,
    /// Compiled for the compiler, and run by it.
    is_macro: bool,
}

const MANIFEST: &str = "Cargo.toml";
const LOCK: &str = "Cargo.lock";

impl Workspace {
    /// Of a tree. Otherwise says what is missing.
    pub fn read(tree: &Files) -> Result<Workspace, String> {
        let mut crates = Vec::new();
        for (path, bytes) in &tree.0 {
            let Some(folder) = path.strip_suffix(MANIFEST) else { continue };
            if folder.is_empty() || folder.ends_with('/') {
                crates.extend(Crate::read(folder, path, bytes)?);
            }
        }
        let root = crates.iter().find(|c| c.folder.is_empty());
        root.ok_or("the tree has no Cargo.toml with a [package] at its top")?;
        if !tree.0.contains_key(LOCK) {
            return Err("the tree has no Cargo.lock at its top".to_owned());
        }
        let library = library(tree)?;
        Ok(Workspace { library, crates })
    }

    /// The manifests, the lock and the build scripts, with nothing in each library: what the
    /// packages from elsewhere are compiled with.
    pub fn skeleton(&self, tree: &Files) -> Files {
        let decides = |name: &&String| self.decides(name);
        let kept = tree.0.keys().filter(decides).map(|name| (name.clone(), tree.0[name].clone()));
        let mut files = Files(kept.collect());
        for own in &self.crates {
            files.0.entry(own.root.clone()).or_default();
        }
        files
    }

    /// Whether a file decides about the build, or runs while it goes on.
    pub fn decides(&self, file: &str) -> bool {
        let name = file.rsplit('/').next().unwrap_or(file);
        let by_name = [MANIFEST, LOCK, "rust-toolchain", "rust-toolchain.toml"].contains(&name)
            || file.split('/').any(|part| part == ".cargo");
        by_name
            || self.crates.iter().any(|c| {
                file == c.script || (c.is_macro && self.owner(file).is_some_and(|o| o == c))
            })
    }

    /// The crate that a file belongs to: the one with the deepest folder above it.
    fn owner(&self, file: &str) -> Option<&Crate> {
        let above = self.crates.iter().filter(|c| file.starts_with(&c.folder));
        above.max_by_key(|c| c.folder.len())
    }

    /// Names of the crates.
    pub fn names(&self) -> BTreeSet<&str> {
        self.crates.iter().map(|c| c.name.as_str()).collect()
    }
}

impl Crate {
    /// None for a manifest without a package.
    fn read(folder: &str, path: &str, bytes: &[u8]) -> Result<Option<Crate>, String> {
        let table = parse(path, bytes)?;
        let Some(package) = table.get("package") else { return Ok(None) };
        let text = |table: Option<&toml::Value>, key: &str| {
            table.and_then(|t| t.get(key)).and_then(toml::Value::as_str).map(str::to_owned)
        };
        let lib = table.get("lib");
        let name = text(Some(package), "name").ok_or_else(|| format!("{path} names no package"))?;
        let root = text(lib, "path").unwrap_or_else(|| "src/lib.rs".to_owned());
        let script = text(Some(package), "build").unwrap_or_else(|| "build.rs".to_owned());
        let flag = |key: &str| lib.and_then(|l| l.get(key)).and_then(toml::Value::as_bool);
        let is_macro = flag("proc-macro").or_else(|| flag("proc_macro")).unwrap_or(false);
        let inside = |file: String| format!("{folder}{file}");
        let (root, script) = (inside(root), inside(script));
        Ok(Some(Crate { folder: folder.to_owned(), name, root, script, is_macro }))
    }
}

/// Name of the root's library, which must be one that everything it needs is in.
fn library(tree: &Files) -> Result<String, String> {
    let table = parse(MANIFEST, tree.0.get(MANIFEST).map(Vec::as_slice).unwrap_or_default())?;
    let lib = table.get("lib");
    let kinds = lib.and_then(|l| l.get("crate-type")).and_then(toml::Value::as_array);
    let kinds = kinds.map(Vec::as_slice).unwrap_or_default();
    if !kinds.iter().any(|kind| kind.as_str() == Some("staticlib")) {
        return Err("the Cargo.toml at the top says no `crate-type = [\"staticlib\"]`".to_owned());
    }
    let named = |table: Option<&toml::Value>| table?.get("name")?.as_str().map(str::to_owned);
    let name = named(lib).or_else(|| named(table.get("package"))).unwrap_or_default();
    Ok(name.replace('-', "_"))
}

fn parse(path: &str, bytes: &[u8]) -> Result<toml::Table, String> {
    let text = std::str::from_utf8(bytes).map_err(|e| format!("{path}: {e}"))?;
    toml::from_str(text).map_err(|e| format!("{path}: {}", e.message()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(list: &[(&str, &str)]) -> Files {
        Files(list.iter().map(|(n, b)| ((*n).to_owned(), b.as_bytes().to_vec())).collect())
    }

    const ROOT: &str = "[package]\nname = \"top-most\"\n[lib]\ncrate-type = [\"staticlib\"]\n";

    fn example() -> Files {
        tree(&[
            ("Cargo.toml", ROOT),
            ("Cargo.lock", ""),
            ("src/lib.rs", "fn f() {}"),
            ("part/Cargo.toml", "[package]\nname = \"part\"\nbuild = \"src/make.rs\"\n"),
            ("part/src/lib.rs", "fn g() {}"),
            ("part/src/make.rs", "fn main() {}"),
            ("derive/Cargo.toml", "[package]\nname = \"derive\"\n[lib]\nproc-macro = true\n"),
            ("derive/src/lib.rs", "fn h() {}"),
        ])
    }

    #[test]
    fn files_that_decide_or_run_are_told_from_the_librarys() {
        let found = Workspace::read(&example()).expect("reads");
        assert_eq!(found.library, "top_most");
        assert_eq!(found.names().into_iter().collect::<Vec<_>>(), ["derive", "part", "top-most"]);
        for file in [
            "Cargo.toml",
            "part/Cargo.toml",
            "new/Cargo.toml",
            "Cargo.lock",
            "build.rs",
            "part/src/make.rs",
            "derive/build.rs",
            "derive/src/lib.rs",
            "derive/src/new.rs",
            ".cargo/config.toml",
            "part/.cargo/config",
            "rust-toolchain",
        ] {
            assert!(found.decides(file), "{file}");
        }
        // A module may be called anything.
        for file in ["src/lib.rs", "src/build.rs", "part/src/lib.rs", "part/src/build.rs"] {
            assert!(!found.decides(file), "{file}");
        }
    }

    #[test]
    fn a_skeleton_has_no_code_of_the_library() {
        let example = example();
        let bare = Workspace::read(&example).expect("reads").skeleton(&example);
        assert_eq!(bare.0["src/lib.rs"], b"");
        assert_eq!(bare.0["part/src/lib.rs"], b"");
        assert_eq!(bare.0["part/src/make.rs"], b"fn main() {}");
        assert_eq!(bare.0["derive/src/lib.rs"], b"fn h() {}", "others may be made with it");
    }

    #[test]
    fn what_is_missing_is_named() {
        for (without, what) in [("Cargo.toml", "[package]"), ("Cargo.lock", "Cargo.lock")] {
            let mut files = example();
            files.0.remove(without);
            let error = Workspace::read(&files).expect_err(without);
            assert!(error.contains(what), "{error}");
        }
        let shared = ROOT.replace("staticlib", "cdylib");
        let error = Workspace::read(&tree(&[("Cargo.toml", &shared), ("Cargo.lock", "")]));
        assert!(error.expect_err("no staticlib").contains("crate-type"));
    }
}
