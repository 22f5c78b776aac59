//! Libraries in Rust: a workspace whose root package is a `staticlib`, built by cargo without a
//! network.
//!
//! ```text
//! <cache>/rust/vendor-KEY/     the packages of Cargo.lock, each compared with its hash
//! <cache>/rust/base-KEY/       cargo's target folder once those are compiled, with the crates of
//!                              the tree empty: every tree of the task starts from a copy
//! <cache>/tools/rust-KEY/      cargo and rustc, where the builder's user may not enter the folder
//!                              that they are in
//! ```

mod base;
pub(super) mod scan;
mod toolchain;
mod workspace;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

pub use toolchain::Rust;
pub(super) use toolchain::discover;
pub(super) use workspace::Workspace;

use super::site::Site;
use super::toolchain::NO_RUST;
use super::{BuildError, Progress, Toolchain, audit, compile};
use crate::sandbox::{End, Profile};
use crate::task::cache::Cache;
use crate::task::files::Files;
use crate::task::{BuildSpec, Lang, vendor};

/// The one object of a library in Rust: an archive of its crates and those that it needs.
const ARCHIVE: &str = "library.a";

/// What cargo hands to rustc for every crate, after the task's flags.
///
/// * `-align-all-functions=6 -align-loops=32`: as for C, functions start at 64 bytes and loops at
///   32. (Sections of their own is what functions have anyway.)
/// * `--cap-lints=allow`: of messages, nothing but errors, whatever a crate denies.
const COMMON: [&str; 2] =
    ["-Cllvm-args=-align-all-functions=6 -align-loops=32", "--cap-lints=allow"];

/// How cargo optimises, whatever the manifest says: no link-time optimisation, which would undo
/// the sections; one unit for each crate, so that the same source is always the same code; a panic
/// ends the process, since it could go nowhere else.
const PROFILE: [(&str, &str); 7] = [
    ("LTO", "off"),
    ("CODEGEN_UNITS", "1"),
    ("PANIC", "abort"),
    ("DEBUG", "0"),
    ("INCREMENTAL", "false"),
    ("SPLIT_DEBUGINFO", "off"),
    ("RPATH", "false"),
];

/// What has to be there before a tree can be built.
#[derive(Debug, Clone)]
pub(super) struct Ground {
    workspace: Workspace,
    vendor: PathBuf,
    base: PathBuf,
}

impl Ground {
    /// Fetches and compiles the packages that the tree depends on, or finds them in the cache.
    pub fn prepare(
        spec: &BuildSpec,
        tree: &Files,
        tools: &Toolchain,
        (cache, profile, seconds): (&Cache, Profile, u64),
    ) -> Result<Ground, BuildError> {
        let workspace = Workspace::read(tree).map_err(BuildError::failed)?;
        let skeleton = workspace.skeleton(tree);
        let vendor =
            vendor::vendor(&skeleton, cache).map_err(|error| BuildError::Tree(error.into()))?;
        let rust = rust(tools)?;
        let base = base::Base {
            spec,
            rust,
            tools,
            vendor: &vendor,
            skeleton: &skeleton,
            names: workspace.names(),
        };
        let base = base.find_or_make(cache, profile, seconds)?;
        Ok(Ground { workspace, vendor, base })
    }

    /// What a build on this ground may read beside the tools.
    pub fn sight(&self) -> [PathBuf; 2] {
        [self.vendor.clone(), self.base.clone()]
    }

    /// Builds the tree that lies on the site. Own code of the task, in C, goes beside the library.
    pub fn compile(
        &self,
        spec: &BuildSpec,
        tree: &Files,
        tools: &Toolchain,
        site: &Site,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Files, BuildError> {
        progress(Progress::Compiling { done: 0, total: 1 });
        let rust = rust(tools)?;
        let copy = ["-R", "--preserve=mode,timestamps", "--no-target-directory"];
        let mut args: Vec<String> = copy.map(str::to_owned).into();
        args.extend([self.base.display().to_string(), "../out/target".to_owned()]);
        let done = site.run(Path::new("/bin/cp"), &args)?;
        if !done.success() {
            let log = String::from_utf8_lossy(&done.output).into_owned();
            return Err(BuildError::Internal(std::io::Error::other(log)));
        }
        cargo(site, rust, spec, &self.vendor)?;
        let made = format!("target/{}/release/lib{}", rust.target, self.workspace.library);
        let take = |name: String| {
            site.take(&name).map_err(|e| BuildError::failed(format!("no library: {e}")))
        };
        // Rust's own list has what `include_bytes!` and its like have read.
        let read = take(format!("{made}.d"))?;
        audit::sources(&read, |named| site.may_assemble(named)).map_err(BuildError::rejected)?;
        let mut objects = Files([(ARCHIVE.to_owned(), take(format!("{made}.a"))?)].into());
        if !spec.sources.is_empty() {
            let flags = vec!["-std=gnu11".to_owned(), "-O2".to_owned()];
            let own = BuildSpec { lang: Lang::C, flags, ..spec.clone() };
            objects.0.append(&mut compile::compile(&own, tree, tools, site, &[], &|_| {})?.0);
        }
        progress(Progress::Compiling { done: 1, total: 1 });
        Ok(objects)
    }
}

fn rust(tools: &Toolchain) -> Result<&Rust, BuildError> {
    tools.rust.as_ref().ok_or(BuildError::NoCompiler(NO_RUST))
}

/// Runs cargo on a site, in `tree/`, with the results in `out/target/`.
fn cargo(site: &Site, rust: &Rust, spec: &BuildSpec, vendor: &Path) -> Result<(), BuildError> {
    let out = site.out();
    let flags: Vec<&str> = spec.flags.iter().map(String::as_str).chain(COMMON).collect();
    let mut env: Vec<(String, String)> = [
        ("CARGO_HOME", out.join("cargo").display().to_string()),
        ("CARGO_TARGET_DIR", out.join("target").display().to_string()),
        ("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f")),
        ("RUSTC", rust.rustc.path.display().to_string()),
        ("CARGO_TERM_COLOR", "never".to_owned()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into();
    env.extend(PROFILE.map(|(name, v)| (format!("CARGO_PROFILE_RELEASE_{name}"), v.to_owned())));
    let settings = [
        "source.crates-io.replace-with=\"vendored\"".to_owned(),
        format!("source.vendored.directory={:?}", vendor.display().to_string()),
    ];
    let mut args: Vec<String> =
        ["build", "--quiet", "--offline", "--frozen", "--release", "--lib", "--jobs=2", "--target"]
            .map(str::to_owned)
            .into();
    args.push(rust.target.clone());
    args.extend(settings.into_iter().flat_map(|setting| ["--config".to_owned(), setting]));
    let done = site.run_with(&rust.cargo.path, &args, &env)?;
    if done.success() {
        return Ok(());
    }
    let end = match done.end {
        End::TimedOut => "the time for building is over".to_owned(),
        End::Signalled(signal) => format!("cargo was ended by signal {signal}"),
        End::Exited(code) => format!("cargo ended with code {code}"),
    };
    let log = String::from_utf8_lossy(&done.output).into_owned();
    let cut = if done.truncated { "\n[more was cut]" } else { "" };
    Err(BuildError::failed(format!("{end}\n{}{cut}", log.trim_end())))
}
