//! Where a task's library comes from: a folder of the task, or a pinned package of a registry
//! that the registry's own client fetches.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::cache::Cache;
use super::files::{Files, sha256};
use super::model::{Origin, Part, Registry, Task};
use super::strip::{StripError, strip};

/// Why there is no source tree.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum SourceError {
    /// A typed skip: the task is fine, but the registry (or its client) is not there today.
    #[error("the source {name} {version} was not served: {reason}")]
    #[diagnostic(help("the task is skipped; once fetched, a source is kept in the cache"))]
    NotServed {
        /// Package.
        name: String,
        /// Version.
        version: String,
        /// What the client said.
        reason: String,
    },
    /// A registry that this version cannot fetch from.
    #[error("sources from {registry} are not supported yet")]
    #[diagnostic(help("use `tree` or `crate`"))]
    NotSupported {
        /// Which one.
        registry: &'static str,
    },
    /// The package is not the pinned one.
    #[error("the source {name} has sha256 {found}, but the task pins {pinned}")]
    BadHash {
        /// Package.
        name: String,
        /// As computed.
        found: String,
        /// As written in `task.toml`.
        pinned: String,
    },
    /// The committed lock does not pin the same package.
    #[error("{path}: {what}")]
    #[diagnostic(help("make it anew with `cargo generate-lockfile` for the version in task.toml"))]
    BadLock {
        /// The lock file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The folder that should become the tree is empty or not there.
    #[error("the source has no folder `{root}`")]
    NoRoot {
        /// As written in `task.toml`.
        root: String,
    },
    /// A rule of `strip` does not fit the source.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Strip(#[from] StripError),
    /// The file system refuses.
    #[error("{what}: {source}")]
    Io {
        /// What was being read or written.
        what: String,
        /// What the file system said.
        source: io::Error,
    },
}

impl SourceError {
    /// Whether the task can merely not be had here and now: nothing of it is wrong.
    pub fn is_skip(&self) -> bool {
        matches!(self, SourceError::NotServed { .. } | SourceError::NotSupported { .. })
    }
}

/// The tree that the reference is built from and a workspace starts from: upstream without what
/// `strip` names, with the shim and the contract's `include/` on top.
///
/// # Errors
/// See [`SourceError`].
pub fn pristine(task: &Task, cache: &Cache) -> Result<Files, SourceError> {
    let mut files = upstream(task, cache)?;
    strip(&mut files, &task.source.strip, &|_| false)?;
    add_own(task, &mut files)?;
    Ok(files)
}

/// The tree as its authors made it, nothing stripped and nothing added.
///
/// # Errors
/// See [`SourceError`].
pub fn upstream(task: &Task, cache: &Cache) -> Result<Files, SourceError> {
    let lock = task.dir.join("Cargo.lock");
    let with: BTreeSet<(&str, &str)> = match &task.source.origin {
        Origin::Package { registry: Registry::Crate, name, version, .. } => {
            let also = task.source.also.iter().map(|p| (p.name.as_str(), p.version.as_str()));
            std::iter::once((name.as_str(), version.as_str())).chain(also).collect()
        }
        _ => BTreeSet::new(),
    };
    let package = match &task.source.origin {
        Origin::Tree(folder) => read(&task.dir.join(folder))?,
        Origin::Package { registry: Registry::Pypi, .. } => {
            return Err(SourceError::NotSupported { registry: "pypi" });
        }
        Origin::Package { registry: Registry::Debian, .. } => {
            return Err(SourceError::NotSupported { registry: "debian" });
        }
        Origin::Package { registry: Registry::Crate, name, version, sha256 } => {
            Crate { name, version, sha256, with: &with, lock: lock.clone() }.files(cache)?
        }
    };
    let mut files = into(below(package, &task.source.root)?, &task.source.into);
    for Part { name, version, sha256, root, into: folder } in &task.source.also {
        let part = Crate { name, version, sha256, with: &with, lock: lock.clone() };
        files.0.append(&mut into(below(part.files(cache)?, root)?, folder).0);
    }
    Ok(files)
}

/// The same files, one folder deeper (`.` for where they are).
fn into(files: Files, folder: &str) -> Files {
    if folder == "." {
        return files;
    }
    let deeper = files.0.into_iter().map(|(name, bytes)| (format!("{folder}/{name}"), bytes));
    Files(deeper.collect())
}

/// Puts the overlay, the shim and the contract's headers on top; they belong to the library.
pub fn add_own(task: &Task, files: &mut Files) -> Result<(), SourceError> {
    if let Some(overlay) = &task.source.overlay {
        files.0.append(&mut read(&task.dir.join(overlay))?.0);
    }
    for shim in &task.source.shim {
        let path = task.dir.join(shim);
        let name = Path::new(shim).file_name().and_then(|n| n.to_str()).unwrap_or(shim);
        let bytes = fs::read(&path).map_err(|e| io_error(&path, e))?;
        files.0.insert(name.to_owned(), bytes);
    }
    for own in &task.source.own {
        let path = task.dir.join(own);
        files.0.insert(own.clone(), fs::read(&path).map_err(|e| io_error(&path, e))?);
    }
    let include = task.dir.join("include");
    if include.is_dir() {
        let headers = read(&include)?.0.into_iter();
        files.0.extend(headers.map(|(name, bytes)| (format!("include/{name}"), bytes)));
    }
    Ok(())
}

pub(super) fn read(dir: &Path) -> Result<Files, SourceError> {
    Files::read(dir).map_err(|e| io_error(dir, e))
}

pub(super) fn io_error(path: &Path, source: io::Error) -> SourceError {
    SourceError::Io { what: path.display().to_string(), source }
}

fn below(files: Files, root: &str) -> Result<Files, SourceError> {
    let root = root.trim_start_matches("./").trim_end_matches('/');
    if matches!(root, "" | ".") {
        return Ok(files);
    }
    let prefix = format!("{root}/");
    let below = files.0.into_iter();
    let below =
        below.filter_map(|(name, bytes)| Some((name.strip_prefix(&prefix)?.to_owned(), bytes)));
    let below = Files(below.collect());
    if below.0.is_empty() {
        return Err(SourceError::NoRoot { root: root.to_owned() });
    }
    Ok(below)
}

/// A pinned package of crates.io.
struct Crate<'a> {
    name: &'a str,
    version: &'a str,
    sha256: &'a str,
    /// All packages of the task with their versions: the throw-away package depends on each.
    with: &'a BTreeSet<(&'a str, &'a str)>,
    /// The task's committed lock, if it has one.
    lock: PathBuf,
}

impl Crate<'_> {
    /// From the cache, where nothing but the pinned package can be; else through cargo.
    fn files(&self, cache: &Cache) -> Result<Files, SourceError> {
        let root = self.root_of_lock()?;
        if let Some(files) = cache.load("sources", self.sha256) {
            return Ok(files);
        }
        let home = cache.private("cargo").map_err(|e| self.io("the cache", e))?;
        self.fetch(cache, &home, root)?;
        let stem = format!("{}-{}", self.name, self.version);
        let package = in_registry(&home.join("registry/cache"), &format!("{stem}.crate"));
        let package = package.ok_or_else(|| self.not_served("cargo left no package file"))?;
        let bytes = fs::read(&package).map_err(|e| io_error(&package, e))?;
        let found = sha256(&bytes);
        if found != self.sha256 {
            let (name, pinned) = (self.name.to_owned(), self.sha256.to_owned());
            return Err(SourceError::BadHash { name, found, pinned });
        }
        let unpacked = in_registry(&home.join("registry/src"), &stem);
        let unpacked = unpacked.ok_or_else(|| self.not_served("cargo did not unpack it"))?;
        let mut files = read(&unpacked)?;
        // Cargo's own mark that it unpacked everything.
        files.0.remove(".cargo-ok");
        cache.store("sources", self.sha256, &files).map_err(|e| self.io("the cache", e))?;
        Ok(files)
    }

    /// Lets cargo fetch the package, as the only dependency of a throw-away one.
    fn fetch(&self, cache: &Cache, home: &Path, root: Option<Root>) -> Result<(), SourceError> {
        let cargo = find_tool("cargo").ok_or_else(|| {
            self.not_served("it is not in the cache, and there is no cargo to fetch it")
        })?;
        // Unpacked anew, from the file whose hash is checked.
        if let Some(old) =
            in_registry(&home.join("registry/src"), &format!("{}-{}", self.name, self.version))
        {
            fs::remove_dir_all(&old).map_err(|e| io_error(&old, e))?;
        }
        let scratch = cache.scratch().map_err(|e| self.io("the cache", e))?;
        let write = |name: &str, text: &str| {
            fs::write(scratch.path().join(name), text).map_err(|e| self.io(name, e))
        };
        let locked = root.is_some();
        let Root { name, version, lock } = root.unwrap_or_default();
        let all = self.with.iter().map(|(name, version)| format!("{name} = \"={version}\"\n"));
        let all: String = all.collect();
        write("none.rs", "")?;
        write(
            "Cargo.toml",
            &format!(
                "[package]\nname = \"{name}\"\nversion = \"{version}\"\nedition = \"2021\"\n\
                 [lib]\npath = \"none.rs\"\n[workspace]\n[dependencies]\n{all}"
            ),
        )?;
        if locked {
            write("Cargo.lock", &lock)?;
        }
        fetch(&cargo, scratch.path(), home, locked).map_err(|reason| self.not_served(&reason))
    }

    /// The package that the committed lock belongs to, once the lock is seen to pin ours.
    fn root_of_lock(&self) -> Result<Option<Root>, SourceError> {
        let bad = |what: String| SourceError::BadLock { path: self.lock.clone(), what };
        let lock = match fs::read_to_string(&self.lock) {
            Ok(lock) => lock,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io_error(&self.lock, error)),
        };
        let table: toml::Table = toml::from_str(&lock).map_err(|e| bad(e.message().to_owned()))?;
        let packages = table.get("package").and_then(toml::Value::as_array);
        let packages = packages.map(Vec::as_slice).unwrap_or_default();
        let text = |package: &toml::Value, key: &str| {
            package.get(key).and_then(toml::Value::as_str).map(str::to_owned)
        };
        let ours = packages.iter().find(|p| {
            text(p, "name").as_deref() == Some(self.name)
                && text(p, "version").as_deref() == Some(self.version)
        });
        let ours =
            ours.ok_or_else(|| bad(format!("does not hold {} {}", self.name, self.version)))?;
        if text(ours, "checksum").as_deref() != Some(self.sha256) {
            return Err(bad(format!("pins another checksum of {} than task.toml", self.name)));
        }
        let root = packages.iter().find(|p| p.get("source").is_none());
        let root = root.and_then(|root| Some((text(root, "name")?, text(root, "version")?)));
        let (name, version) = root.ok_or_else(|| bad("has no package of its own".to_owned()))?;
        Ok(Some(Root { name, version, lock }))
    }

    fn not_served(&self, reason: &str) -> SourceError {
        SourceError::NotServed {
            name: self.name.to_owned(),
            version: self.version.to_owned(),
            reason: reason.to_owned(),
        }
    }

    fn io(&self, what: &str, source: io::Error) -> SourceError {
        SourceError::Io { what: format!("{what}, for {} {}", self.name, self.version), source }
    }
}

/// Has cargo fetch what the package in `dir` depends on into its home folder. Otherwise says why
/// there was nothing to have.
pub(super) fn fetch(cargo: &Path, dir: &Path, home: &Path, locked: bool) -> Result<(), String> {
    let mut command = Command::new(cargo);
    command.current_dir(dir).arg("fetch").arg("--quiet");
    if locked {
        command.arg("--locked");
    }
    // A mirror or proxy that the user has set up for cargo is meant for this, too.
    if let Some(config) = user_config() {
        command.arg("--config").arg(config);
    }
    let output = command.env("CARGO_HOME", home).output().map_err(|e| format!("cargo: {e}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    }
}

/// The throw-away package that depends on the source.
struct Root {
    name: String,
    version: String,
    lock: String,
}

impl Default for Root {
    fn default() -> Root {
        Root { name: "source".to_owned(), version: "0.0.0".to_owned(), lock: String::new() }
    }
}

/// `<folder>/<registry>/<name>`, for whichever registry has it (ours is the only one).
pub(super) fn in_registry(folder: &Path, name: &str) -> Option<PathBuf> {
    let registries = fs::read_dir(folder).ok()?;
    registries.flatten().map(|r| r.path().join(name)).find(|path| path.exists())
}

/// A program of the Rust toolchain: as cargo tells it, on the path, or where rustup puts it.
pub fn find_tool(name: &str) -> Option<PathBuf> {
    let told = env::var_os(name.to_uppercase()).map(PathBuf::from).filter(|p| p.is_absolute());
    let path = env::var_os("PATH").unwrap_or_else(|| OsString::from("/usr/local/bin:/usr/bin"));
    let folders = env::split_paths(&path).filter(|folder| folder.is_absolute());
    let usual = env::home_dir().map(|home| home.join(".cargo/bin")).into_iter();
    let usual = usual.chain([PathBuf::from("/usr/local/cargo/bin")]);
    let candidates = folders.chain(usual).map(|folder| folder.join(name));
    // `is_file` also asks whether we may get there at all.
    told.into_iter().chain(candidates).find(|path| path.is_file())
}

fn user_config() -> Option<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| env::home_dir().map(|home| home.join(".cargo")))?;
    Some(home.join("config.toml")).filter(|path| path.is_file())
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
