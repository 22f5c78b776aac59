//! Which compiler and linker are used: found in fixed places, resolved, hashed.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::linker;
use super::rust::{self, Rust};
use crate::sandbox::{self, Profile, Sight};
use crate::task::Lang;
use crate::task::cache::Cache;
use crate::task::files::sha256;

/// A program that takes part in a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// Where it is, symbolic links resolved.
    pub path: PathBuf,
    /// First line of what it says of itself.
    pub version: String,
    /// sha256 of the program; of a compiler driver, over the listing (as of `sha256sum`) of the
    /// driver and the programs it runs.
    pub sha256: String,
}

/// The programs that make a library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolchain {
    /// C compiler driver.
    pub cc: Tool,
    /// C++ compiler driver, where the language asks for it.
    pub cxx: Option<Tool>,
    /// cargo and rustc, where the language asks for them.
    pub rust: Option<Rust>,
    /// Linker.
    pub ld: Tool,
    /// Folder that the driver is told to look for the linker in, if it is lld: only that one can
    /// shuffle sections. Without it all layouts are the same.
    pub lld: Option<PathBuf>,
}

/// A tool that a task needs is not on this machine.
#[derive(Debug, Clone, thiserror::Error, miette::Diagnostic)]
#[error("no {what} on this machine")]
#[diagnostic(help(
    "scripts/setup installs what is missing, or says how; compilers of C and C++ are looked for in /usr/bin and /usr/local/bin"
))]
pub struct NoCompiler {
    /// What was looked for.
    pub what: &'static str,
}

/// Rust is looked for elsewhere, and comes from elsewhere.
pub(super) const NO_RUST: NoCompiler = NoCompiler { what: "Rust toolchain (cargo and rustc)" };

const FOLDERS: [&str; 2] = ["/usr/bin", "/usr/local/bin"];

impl Toolchain {
    /// Finds what `lang` needs. `SPEEDGATE_CC` and `SPEEDGATE_CXX` name other compilers.
    ///
    /// # Errors
    /// When there is no compiler.
    pub fn discover(lang: Lang, cache: &Cache, profile: Profile) -> Result<Toolchain, NoCompiler> {
        let cc = compiler("SPEEDGATE_CC", &["gcc", "clang"]);
        let cc = cc.ok_or(NoCompiler { what: "C compiler (gcc or clang)" })?;
        let cxx = match lang {
            Lang::C | Lang::Rust => None,
            Lang::Cxx => {
                let cxx = compiler("SPEEDGATE_CXX", &["g++", "clang++"]);
                Some(cxx.ok_or(NoCompiler { what: "C++ compiler (g++ or clang++)" })?)
            }
        };
        let rust = match lang {
            Lang::C | Lang::Cxx => None,
            Lang::Rust => Some(rust::discover(cache, profile).ok_or(NO_RUST)?),
        };
        let (ld, lld) = linker::discover(&cc, cache, profile);
        Ok(Toolchain { cc, cxx, rust, ld, lld })
    }

    /// What a build may read: the system's toolchain folders, and where these tools are if that is
    /// elsewhere.
    pub(super) fn sight(&self) -> Sight {
        let mut sight = Sight::toolchain();
        let tools = [Some(&self.cc), self.cxx.as_ref(), Some(&self.ld)].into_iter().flatten();
        let places = tools.map(|tool| tool.path.as_path()).chain(self.lld.as_deref());
        for place in places
            .filter(|place| !sight.read.iter().any(|r| place.starts_with(r)))
            .collect::<Vec<_>>()
        {
            sight.read.extend(installation(place));
        }
        sight.read.extend(self.rust.iter().map(|rust| rust.root().to_owned()));
        sight
    }

    /// Who turned sources into code: what a report names.
    pub fn compiler(&self) -> &Tool {
        let rustc = self.rust.as_ref().map(|rust| &rust.rustc);
        rustc.or(self.cxx.as_ref()).unwrap_or(&self.cc)
    }

    /// Whether libraries can be laid out in several ways.
    pub fn shuffles(&self) -> bool {
        self.lld.is_some()
    }
}

impl Tool {
    /// Whether it speaks clang's dialect of options.
    pub fn is_clang(&self) -> bool {
        self.version.contains("clang")
    }

    /// Identifies a program by itself.
    pub(super) fn identify(path: &Path) -> Option<Tool> {
        let path = fs::canonicalize(path).ok()?;
        let version = first_line(&path, "--version")?;
        let sha256 = sha256(&fs::read(&path).ok()?);
        Some(Tool { path, version, sha256 })
    }

    /// What the driver answers to `-print-file-name`: a path, or the bare name if it has none.
    pub(super) fn file(&self, name: &str) -> Option<PathBuf> {
        first_line(&self.path, &format!("-print-file-name={name}")).map(PathBuf::from)
    }

    /// What the driver answers to `-print-prog-name`, if that is a program.
    pub(super) fn helper(&self, name: &str) -> Option<PathBuf> {
        let told = first_line(&self.path, &format!("-print-prog-name={name}"))?;
        let places = FOLDERS.iter().map(|folder| Path::new(folder).join(&told));
        // An absolute answer stays what it is; a bare name is one that the driver looks up.
        places.into_iter().find(|path| path.is_file())
    }
}

/// The folders of a tool (or a folder of tools) that is not where the system keeps them.
fn installation(place: &Path) -> Vec<PathBuf> {
    // rustup's lld finds its library beside this folder.
    if let Some(rust) = place.ancestors().find(|a| a.ends_with("rustlib")) {
        return rust.parent().into_iter().map(Path::to_owned).collect();
    }
    let Some(prefix) = place.parent().and_then(Path::parent) else { return Vec::new() };
    let parts = ["bin", "include", "lib", "lib32", "lib64", "libexec", "share"];
    parts.map(|part| prefix.join(part)).into()
}

fn compiler(variable: &str, names: &[&str]) -> Option<Tool> {
    let path = match env::var_os(variable).filter(|value| !value.is_empty()) {
        Some(named) => PathBuf::from(named),
        None => {
            let all = names.iter().flat_map(|name| FOLDERS.map(|f| Path::new(f).join(name)));
            all.into_iter().find(|path| path.is_file())?
        }
    };
    let mut tool = Tool::identify(&path)?;
    let helpers = ["cc1", "cc1plus", "collect2", "as"].map(|name| tool.helper(name));
    let mut listing = format!("{}  {}\n", tool.sha256, tool.path.display());
    for helper in helpers.into_iter().flatten() {
        let hash = sha256(&fs::read(&helper).ok()?);
        listing.push_str(&format!("{hash}  {}\n", helper.display()));
    }
    tool.sha256 = sha256(listing.as_bytes());
    Some(tool)
}

fn first_line(program: &Path, arg: &str) -> Option<String> {
    let mut command: Command = sandbox::command(program);
    let output = command.arg(arg).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().next().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compilers_are_found_resolved_and_hashed() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let cache = Cache::at(&dir.path().join("cache")).expect("opens");
        let found = Toolchain::discover(Lang::Cxx, &cache, Profile::User).expect("a compiler");
        let cxx = found.cxx.clone().expect("asked for");
        for tool in [&found.cc, &cxx, &found.ld] {
            assert!(tool.path.is_absolute() && !tool.path.is_symlink(), "{tool:?}");
            assert_eq!(tool.sha256.len(), 64, "{tool:?}");
            assert!(!tool.version.is_empty(), "{tool:?}");
        }
        assert_ne!(found.cc.sha256, cxx.sha256);
        let again = Toolchain::discover(Lang::Cxx, &cache, Profile::User).expect("a compiler");
        assert_eq!(found, again);
    }
}
