//! The packages that a Rust workspace's `Cargo.lock` names, laid out for builds without a network.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::cache::Cache;
use super::files::{Files, sha256};
use super::source::{SourceError, fetch, find_tool, in_registry, io_error, read};

/// A package that a lock names.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Locked {
    name: String,
    version: String,
    sha256: String,
}

impl Locked {
    fn stem(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }

    fn not_served(&self, reason: &str) -> SourceError {
        SourceError::NotServed {
            name: self.name.clone(),
            version: self.version.clone(),
            reason: reason.to_owned(),
        }
    }
}

/// The one registry; the lock's spelling of it.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// A folder that cargo can take for the registry (a "directory source"), readable by all: every
/// package of the lock in `manifests`, and no other. It is fetched by cargo, and compared with the
/// lock's hashes, unless it is in the cache. `manifests` are the workspace's `Cargo.lock` and
/// `Cargo.toml` files, with something in place of each target that they name.
///
/// # Errors
/// See [`SourceError`].
pub fn vendor(manifests: &Files, cache: &Cache) -> Result<PathBuf, SourceError> {
    let lock = manifests.0.get(LOCK).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let lock = lock.ok_or_else(|| bad("is not there".to_owned()))?;
    let packages = locked(&lock)?;
    let io = |source| SourceError::Io { what: "the cache".to_owned(), source };
    let parent = cache.public("rust").map_err(io)?;
    let folder = parent.join(format!("vendor-{}", &sha256(lock.as_bytes())[..16]));
    if folder.is_dir() {
        return Ok(folder);
    }
    let home = cache.private("cargo").map_err(io)?;
    let scratch = cache.scratch().map_err(io)?;
    if let Some(first) = packages.first() {
        // Unpacked anew, from files whose hash is checked.
        for old in packages.iter().filter_map(|p| in_registry(&home.join(UNPACKED), &p.stem())) {
            fs::remove_dir_all(&old).map_err(|e| io_error(&old, e))?;
        }
        let cargo = find_tool("cargo").ok_or_else(|| {
            first.not_served("it is not in the cache, and there is no cargo to fetch it")
        })?;
        let tree = scratch.path().join("tree");
        fs::create_dir(&tree).map_err(io)?;
        manifests.write(&tree, 0o644).map_err(io)?;
        fetch(&cargo, &tree, &home, true).map_err(|reason| first.not_served(&reason))?;
    }
    let vendored = scratch.path().join("vendor");
    fs::create_dir(&vendored).map_err(io)?;
    open_folder(&vendored).map_err(io)?;
    for package in &packages {
        let place = vendored.join(package.stem());
        fs::create_dir(&place).map_err(io)?;
        open_folder(&place).map_err(io)?;
        files(package, &home)?.write(&place, 0o644).map_err(io)?;
    }
    match fs::rename(&vendored, &folder) {
        Err(_) if folder.is_dir() => Ok(folder),
        result => result.map(|()| folder).map_err(io),
    }
}

const LOCK: &str = "Cargo.lock";
const UNPACKED: &str = "registry/src";

/// A package's files, with the list of hashes that cargo wants beside them.
fn files(package: &Locked, home: &Path) -> Result<Files, SourceError> {
    let stem = package.stem();
    let packed = in_registry(&home.join("registry/cache"), &format!("{stem}.crate"));
    let packed = packed.ok_or_else(|| package.not_served("cargo left no package file"))?;
    let found = sha256(&fs::read(&packed).map_err(|e| io_error(&packed, e))?);
    if found != package.sha256 {
        let (name, pinned) = (package.name.clone(), package.sha256.clone());
        return Err(SourceError::BadHash { name, found, pinned });
    }
    let unpacked = in_registry(&home.join(UNPACKED), &stem);
    let mut files = read(&unpacked.ok_or_else(|| package.not_served("it was not unpacked"))?)?;
    files.0.remove(".cargo-ok");
    let hashes = files.0.iter().map(|(name, bytes)| (name.clone(), json!(sha256(bytes))));
    let hashes: serde_json::Map<String, serde_json::Value> = hashes.collect();
    let list = json!({ "files": hashes, "package": package.sha256 }).to_string();
    files.0.insert(".cargo-checksum.json".to_owned(), list.into_bytes());
    Ok(files)
}

/// The packages of the registry that a lock names.
fn locked(lock: &str) -> Result<Vec<Locked>, SourceError> {
    let table: toml::Table = toml::from_str(lock).map_err(|e| bad(e.message().to_owned()))?;
    let packages = table.get("package").and_then(toml::Value::as_array);
    let mut all = Vec::new();
    for package in packages.map(Vec::as_slice).unwrap_or_default() {
        let text = |key: &str| package.get(key).and_then(toml::Value::as_str).map(str::to_owned);
        let name = text("name").unwrap_or_default();
        match text("source") {
            // A member of the workspace.
            None => continue,
            Some(source) if source == REGISTRY => {}
            Some(source) => return Err(bad(format!("takes {name} from {source}, not crates.io"))),
        }
        let (Some(version), Some(sha256)) = (text("version"), text("checksum")) else {
            return Err(bad(format!("pins no version and checksum of {name}")));
        };
        // They become names of folders.
        let plain = |text: &str| {
            let fine = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
            text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(fine)
        };
        if !plain(&name) || !plain(&version) {
            return Err(bad(format!("names a package `{name}` of version `{version}`")));
        }
        all.push(Locked { name, version, sha256 });
    }
    Ok(all)
}

fn bad(what: String) -> SourceError {
    SourceError::BadLock { path: PathBuf::from(LOCK), what: format!("of the tree: {what}") }
}

fn open_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock(entry: &str) -> String {
        format!("version = 4\n\n[[package]]\nname = \"own\"\nversion = \"0.1.0\"\n\n{entry}")
    }

    #[test]
    fn a_lock_names_packages_of_the_registry_by_hash() {
        let entry = format!(
            "[[package]]\nname = \"a\"\nversion = \"1.0.0+x\"\nsource = \"{REGISTRY}\"\n\
             checksum = \"ab\"\n"
        );
        let found = locked(&lock(&entry)).expect("reads");
        assert_eq!(found.iter().map(Locked::stem).collect::<Vec<_>>(), ["a-1.0.0+x"]);
        for (wrong, right) in [
            ("git+https://example.org/a", REGISTRY),
            ("name = \"../a\"", "name = \"a\""),
            ("sum = \"ab\"", "checksum = \"ab\""),
        ] {
            let text = lock(&entry.replace(right, wrong));
            assert!(matches!(locked(&text), Err(SourceError::BadLock { .. })), "{wrong}");
        }
    }

    #[test]
    fn a_workspace_without_dependencies_needs_no_cargo() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let cache = Cache::at(&dir.path().join("cache")).expect("opens");
        let files = Files([(LOCK.to_owned(), lock("").into_bytes())].into());
        let folder = vendor(&files, &cache).expect("an empty folder");
        assert_eq!(fs::read_dir(&folder).expect("reads").count(), 0);
        assert_eq!(vendor(&files, &cache).expect("from the cache"), folder);
        let none = vendor(&Files::default(), &cache);
        assert!(matches!(none, Err(SourceError::BadLock { .. })));
    }
}
