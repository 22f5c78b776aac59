//! Which linker: lld wherever it can be had, since only it can shuffle sections.
//!
//! Looked for in this order: `ld.lld` of the system, the `rust-lld` that rustup ships (the same
//! program, under another name), then whatever the compiler uses (and a fixed layout).

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::toolchain::Tool;
use crate::sandbox::Profile;
use crate::task::cache::Cache;
use crate::task::files::sha256;
use crate::task::source::find_tool;

/// The linker, and the folder to give the compiler driver as `-B` if it is lld.
pub(super) fn discover(cc: &Tool, cache: &Cache, profile: Profile) -> (Tool, Option<PathBuf>) {
    let of_system = system_lld().and_then(|path| {
        let tool = Tool::identify(&path)?;
        Some((tool, path.parent()?.to_owned()))
    });
    let lld = of_system.or_else(|| {
        let folder = rustup_lld(cache, profile)?;
        Some((identify_lld(&folder.join(LLD))?, folder))
    });
    match lld {
        Some((tool, folder)) => (tool, Some(folder)),
        None => (plain(cc), None),
    }
}

const LLD: &str = "ld.lld";

fn system_lld() -> Option<PathBuf> {
    let fixed = ["/usr/bin", "/usr/local/bin"].map(PathBuf::from);
    let mut versions: Vec<(u32, PathBuf)> = fs::read_dir("/usr/lib")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let version = entry.file_name().to_str()?.strip_prefix("llvm-")?.parse().ok()?;
            Some((version, entry.path().join("bin")))
        })
        .collect();
    versions.sort_by_key(|&(version, _)| std::cmp::Reverse(version));
    let versioned = versions.into_iter().map(|(_, folder)| folder);
    fixed.into_iter().chain(versioned).map(|folder| folder.join(LLD)).find(|path| path.is_file())
}

/// rust-lld decides by the name it is called under which linker it is, so it is asked under the
/// name `ld.lld`, which a resolved path would lose.
fn identify_lld(path: &Path) -> Option<Tool> {
    let output = crate::sandbox::command(path).arg("--version").output().ok()?;
    let version = String::from_utf8_lossy(&output.stdout).lines().next()?.trim().to_owned();
    let path = fs::canonicalize(path).ok()?;
    let sha256 = sha256(&fs::read(&path).ok()?);
    output.status.success().then_some(Tool { path, version, sha256 })
}

/// The linker that the driver uses by itself. It is there wherever the driver is; should it not
/// be, the link says so.
fn plain(cc: &Tool) -> Tool {
    let path = cc.helper("ld").unwrap_or_else(|| PathBuf::from("/usr/bin/ld"));
    Tool::identify(&path).unwrap_or_else(|| Tool {
        path,
        version: "unknown".to_owned(),
        sha256: sha256(&[]),
    })
}

/// A folder with rustup's lld as `ld.lld`, where the builder's user can run it. rustup lives in a
/// home folder, which other users may not enter; so root has a copy (a hard link, if it can be)
/// in the cache. It keeps rustup's relation of places: the program finds its libLLVM three
/// folders up.
fn rustup_lld(cache: &Cache, profile: Profile) -> Option<PathBuf> {
    let rustc = find_tool("rustc")?;
    let output = Command::new(rustc).args(["--print", "sysroot"]).output().ok()?;
    let sysroot = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    let lib = sysroot.join("lib");
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let program = lib.join("rustlib").join(&target).join("bin/rust-lld");
    let llvm = fs::read_dir(&lib).ok()?.flatten().map(|entry| entry.path());
    let llvm: Vec<PathBuf> =
        llvm.filter(|path| name(path).is_some_and(|n| n.starts_with("libLLVM"))).collect();
    place(cache, profile, &program, &llvm, &target).ok()
}

fn place(
    cache: &Cache,
    profile: Profile,
    program: &Path,
    llvm: &[PathBuf],
    target: &str,
) -> io::Result<PathBuf> {
    // An update of the toolchain changes size or time, and gets a folder of its own.
    let meta = fs::metadata(program)?;
    let identity = format!("{} {} {}", program.display(), meta.len(), meta.mtime());
    let key = &sha256(identity.as_bytes())[..16];
    let bin = Path::new("rustlib").join(target).join("bin");
    let tools = cache.public("tools")?;
    let folder = tools.join(format!("lld-{key}"));
    if !folder.join(&bin).join(LLD).is_file() {
        let scratch = cache.scratch()?;
        fs::create_dir_all(scratch.path().join(&bin))?;
        for path in llvm {
            let Some(name) = name(path) else { continue };
            bring(profile, path, &scratch.path().join(name))?;
        }
        bring(profile, program, &scratch.path().join(&bin).join(LLD))?;
        for part in Path::new("").join(&bin).ancestors() {
            let part = scratch.path().join(part);
            fs::set_permissions(part, Permissions::from_mode(0o755))?;
        }
        match fs::rename(scratch.path(), &folder) {
            Ok(()) => drop(scratch.keep()),
            // Somebody else was faster.
            Err(_) if folder.join(&bin).join(LLD).is_file() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(folder.join(bin))
}

/// Puts a file where others may read it.
pub(super) fn bring(profile: Profile, from: &Path, to: &Path) -> io::Result<()> {
    match profile {
        // Who runs it may read the original.
        Profile::User => symlink(from, to),
        Profile::Root => fs::hard_link(from, to).or_else(|_| fs::copy(from, to).map(drop)),
    }
}

fn name(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()
}
