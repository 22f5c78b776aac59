//! The packages that a task's trees depend on, compiled once.

use std::collections::BTreeSet;
use std::fs::{self, File, FileTimes, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::{COMMON, PROFILE, Rust};
use crate::build::site::Site;
use crate::build::{BuildError, Toolchain};
use crate::sandbox::Profile;
use crate::task::BuildSpec;
use crate::task::cache::Cache;
use crate::task::files::{Files, sha256};

/// Raise it when the same inputs give another base.
const RULES: &str = "1";

/// What a base is made of.
pub(super) struct Base<'a> {
    pub spec: &'a BuildSpec,
    pub rust: &'a Rust,
    pub tools: &'a Toolchain,
    pub vendor: &'a Path,
    /// The workspace with nothing in its libraries.
    pub skeleton: &'a Files,
    /// Names of its crates.
    pub names: BTreeSet<&'a str>,
}

impl Base<'_> {
    /// The folder, readable by all.
    pub fn find_or_make(
        &self,
        cache: &Cache,
        profile: Profile,
        seconds: u64,
    ) -> Result<PathBuf, BuildError> {
        let folder = cache.public("rust")?.join(format!("base-{}", self.key()));
        if folder.is_dir() {
            return Ok(folder);
        }
        let mut sight = self.tools.sight();
        sight.read.push(self.vendor.to_owned());
        let site = Site::open(cache, profile, (self.skeleton, sight), seconds)?;
        super::cargo(&site, self.rust, self.spec, self.vendor)?;
        let scratch = cache.scratch()?;
        let copy = scratch.path().join("target");
        self.copy(&site.out().join("target"), &copy)?;
        match fs::rename(&copy, &folder) {
            Err(_) if folder.is_dir() => Ok(folder),
            result => Ok(result.map(|()| folder)?),
        }
    }

    fn key(&self) -> String {
        let mut text = format!("{RULES}\n{}\n", self.skeleton.sha256());
        text.push_str(&format!("{}\n{}\n", self.rust.rustc.sha256, self.rust.cargo.sha256));
        // Places are part of what cargo compares before it takes something for fresh.
        let places = [self.rust.rustc.path.as_path(), self.vendor];
        places.iter().for_each(|place| text.push_str(&format!("{}\n", place.display())));
        self.spec.flags.iter().map(String::as_str).chain(COMMON).for_each(|flag| {
            text.push_str(flag);
            text.push('\n');
        });
        PROFILE.iter().for_each(|(name, value)| text.push_str(&format!("{name}={value}\n")));
        sha256(text.as_bytes())[..16].to_owned()
    }

    /// Copies a target folder, times and modes included. Left out is what cargo knows the empty
    /// crates by, so that it never takes one of them for what is in a tree, and the library.
    fn copy(&self, from: &Path, to: &Path) -> io::Result<()> {
        let ours = |path: &Path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let known = path.parent().is_some_and(|parent| parent.ends_with(".fingerprint"));
            let of = name.rsplit_once('-').map_or(name, |(of, _)| of);
            (known && self.names.contains(of)) || name.ends_with(".a")
        };
        let mut walk = WalkDir::new(from).into_iter();
        while let Some(entry) = walk.next() {
            let entry = entry.map_err(io::Error::from)?;
            let below = entry.path().strip_prefix(from).map_err(io::Error::other)?;
            let to = to.join(below);
            if ours(entry.path()) {
                if entry.file_type().is_dir() {
                    walk.skip_current_dir();
                }
            } else if entry.file_type().is_dir() {
                fs::create_dir(&to)?;
                fs::set_permissions(&to, Permissions::from_mode(0o755))?;
            } else if entry.file_type().is_file() {
                fs::copy(entry.path(), &to)?;
                let meta = entry.metadata().map_err(io::Error::from)?;
                let times = FileTimes::new().set_modified(meta.modified()?);
                File::options().write(true).open(&to)?.set_times(times)?;
                let run = meta.permissions().mode() & 0o100;
                let mode = if run == 0 { 0o644 } else { 0o755 };
                fs::set_permissions(&to, Permissions::from_mode(mode))?;
            }
        }
        Ok(())
    }
}
