//! cargo and rustc, where the builder's user can run them.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use walkdir::WalkDir;

use crate::build::linker::bring;
use crate::build::toolchain::Tool;
use crate::sandbox::{self, Profile};
use crate::task::cache::Cache;
use crate::task::files::sha256;
use crate::task::source::find_tool;

/// What makes a library from Rust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rust {
    /// The compiler; its hash is over the listing (as of `sha256sum`) of the program, its
    /// libraries and the standard library for `target`.
    pub rustc: Tool,
    /// What calls it.
    pub cargo: Tool,
    /// The platform that it compiles for: this one.
    pub target: String,
    /// The folder that has all of that below it.
    root: PathBuf,
}

impl Rust {
    /// What a build may read.
    pub(in crate::build) fn root(&self) -> &Path {
        &self.root
    }
}

/// The toolchain that `cargo` and `rustc` of this user stand for; none where there is none.
pub(in crate::build) fn discover(cache: &Cache, profile: Profile) -> Option<Rust> {
    let mut asked = Command::new(find_tool("rustc")?);
    // What a folder asks for (rust-toolchain.toml) is not asked: the machine's choice counts.
    let output = asked.current_dir("/").args(["--print", "sysroot"]).output().ok()?;
    let sysroot = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let parts = parts(&sysroot, &target)?;
    let root = match profile {
        Profile::Root if !open_to_all(&sysroot) => place(cache, &sysroot, &parts).ok()?,
        _ => sysroot.clone(),
    };
    let named = |name: &str| {
        let path = root.join("bin").join(name);
        let output = sandbox::command(&path).arg("--version").output().ok()?;
        let version = String::from_utf8_lossy(&output.stdout).lines().next()?.trim().to_owned();
        output.status.success().then_some((path, version))
    };
    let hash = hash(cache, &sysroot, &parts).ok()?;
    let (path, version) = named("rustc")?;
    let rustc = Tool { path, version, sha256: hash };
    let (path, version) = named("cargo")?;
    let cargo = Tool { sha256: sha256(&fs::read(&path).ok()?), path, version };
    Some(Rust { rustc, cargo, target, root })
}

/// Beginnings of the names of what rustc is linked with.
const LIBRARIES: [&str; 3] = ["librustc", "libLLVM", "libstd-"];

/// What of a toolchain takes part in a build, relative to its folder, with the state that it is in.
struct Part {
    name: PathBuf,
    state: String,
}

fn parts(sysroot: &Path, target: &str) -> Option<Vec<Part>> {
    let programs = ["bin/rustc", "bin/cargo"].map(PathBuf::from);
    let libraries = fs::read_dir(sysroot.join("lib")).ok()?.flatten().filter_map(|entry| {
        let name = PathBuf::from("lib").join(entry.file_name());
        // A folder of the system has other libraries, too.
        let file = entry.file_name().into_string().ok()?;
        let ours = LIBRARIES.iter().any(|library| file.starts_with(library));
        (ours && entry.path().is_file()).then_some(name)
    });
    let standard = Path::new("lib/rustlib").join(target);
    let standard = WalkDir::new(sysroot.join(standard)).into_iter().flatten().filter_map(|entry| {
        let file = entry.path().is_file();
        file.then(|| entry.path().strip_prefix(sysroot).ok().map(Path::to_owned)).flatten()
    });
    let mut names: Vec<PathBuf> = programs.into_iter().chain(libraries).chain(standard).collect();
    names.sort();
    let state = |name: PathBuf| {
        let meta = fs::metadata(sysroot.join(&name)).ok()?;
        let state = format!("{} {} {}", meta.len(), meta.mtime(), meta.mtime_nsec());
        Some(Part { name, state })
    };
    names.into_iter().map(state).collect()
}

/// What an update of the toolchain changes.
fn identity(sysroot: &Path, parts: &[Part]) -> String {
    let lines = parts.iter().map(|part| format!("{} {}\n", part.name.display(), part.state));
    let text = format!("{}\n{}", sysroot.display(), lines.collect::<String>());
    sha256(text.as_bytes())[..16].to_owned()
}

/// One hash over all parts: kept, since reading them takes longer than many a build.
fn hash(cache: &Cache, sysroot: &Path, parts: &[Part]) -> io::Result<String> {
    let kept = cache.private("toolchains")?.join(identity(sysroot, parts));
    if let Ok(hash) = fs::read_to_string(&kept) {
        return Ok(hash);
    }
    let mut listing = String::new();
    for part in parts {
        let bytes = fs::read(sysroot.join(&part.name))?;
        listing.push_str(&format!("{}  {}\n", sha256(&bytes), part.name.display()));
    }
    let hash = sha256(listing.as_bytes());
    let scratch = cache.scratch()?;
    fs::write(scratch.path().join("hash"), &hash)?;
    fs::rename(scratch.path().join("hash"), kept)?;
    Ok(hash)
}

/// Whether every user may pass through all folders above.
fn open_to_all(path: &Path) -> bool {
    let open = |path: &Path| fs::metadata(path).is_ok_and(|m| m.mode() & 0o001 != 0);
    path.ancestors().all(open)
}

/// A copy (of hard links, where it can be) in the cache.
fn place(cache: &Cache, sysroot: &Path, parts: &[Part]) -> io::Result<PathBuf> {
    let folder = cache.public("tools")?.join(format!("rust-{}", identity(sysroot, parts)));
    if folder.is_dir() {
        return Ok(folder);
    }
    let scratch = cache.scratch()?;
    for part in parts {
        let to = scratch.path().join(&part.name);
        fs::create_dir_all(to.parent().unwrap_or(scratch.path()))?;
        bring(Profile::Root, &sysroot.join(&part.name), &to)?;
    }
    for entry in WalkDir::new(scratch.path()) {
        let entry = entry.map_err(io::Error::from)?;
        if entry.file_type().is_dir() {
            fs::set_permissions(entry.path(), Permissions::from_mode(0o755))?;
        }
    }
    match fs::rename(scratch.path(), &folder) {
        Ok(()) => drop(scratch.keep()),
        // Somebody else was faster.
        Err(_) if folder.is_dir() => {}
        Err(error) => return Err(error),
    }
    Ok(folder)
}
