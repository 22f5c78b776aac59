//! From a task and somebody's files to libraries that may be loaded.
//!
//! Nothing in a workspace is trusted: the tree is put together from the pristine one ([`tree`]),
//! compiled and linked by speedgate's own command lines in a jail, audited, and kept by the hash
//! of everything it depends on.

pub mod audit;
pub mod blob;
mod cache;
mod compile;
mod lexer;
mod link;
mod linker;
pub mod practice;
mod recipe;
pub mod reuse;
mod rust;
pub mod sheet;
mod site;
pub mod tamper;
pub mod toolchain;
pub mod tree;
mod walk;
mod workspace;

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

pub use recipe::{RecipeError, SolutionError};
pub use rust::Rust;
pub use toolchain::{NoCompiler, Tool, Toolchain};
pub use tree::{Overlay, TreeError};
pub use workspace::{WorkspaceError, write_solution, write_workspace};

use self::cache::{LIBRARIES, LIBRARY, OBJECTS, library_key, objects_key};
use self::link::Linking;
use self::reuse::Reuse;
use self::rust::Ground;
use self::sheet::Sheet;
use self::site::Site;
use crate::sandbox::Profile;
use crate::task::cache::Cache;
use crate::task::files::{Files, sha256};
use crate::task::source;
use crate::task::{Lang, Task};

/// What to build.
pub struct BuildRequest<'a> {
    /// The task.
    pub task: &'a Task,
    /// Whose files.
    pub overlay: Overlay<'a>,
    /// One library is linked for each of these seeds.
    pub layouts: &'a [u64],
    /// How compilers are jailed.
    pub profile: Profile,
    /// Where results are kept.
    pub cache: &'a Cache,
    /// Told how far the build is, from several threads.
    pub progress: &'a (dyn Fn(Progress) + Sync),
}

/// How far a build is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Putting the tree together; a first time may fetch the source.
    Preparing,
    /// Compiling.
    Compiling {
        /// Files done.
        done: usize,
        /// Files in all.
        total: usize,
    },
    /// Linking.
    Linking {
        /// Layouts done.
        done: usize,
        /// Layouts in all.
        total: usize,
    },
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct Built {
    /// In the order of the seeds.
    pub layouts: Vec<Library>,
    /// What linking one took; nothing where all were in the cache.
    pub link: Duration,
    /// What was found in the workspace and left there, with reasons.
    pub ignored: Vec<String>,
    /// Who built it.
    pub compiler: Toolchain,
    /// The task's flags, the same on both sides.
    pub flags: Vec<String>,
    /// What a candidate shares with the upstream tree; none of the reference.
    pub reuse: Option<Reuse>,
}

/// One layout of a library, audited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Library {
    /// Where it is, in a folder that only its owner may enter: hand it to a worker as an open
    /// descriptor, after comparing its hash.
    pub path: PathBuf,
    /// sha256 of its bytes.
    pub sha256: String,
    /// The layout. Without lld all layouts of a build are the same.
    pub seed: u64,
}

/// What a candidate's files are to blame for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// They make no library.
    BuildFailed,
    /// They make one that must not be loaded.
    AuditRejected,
}

/// Why there is no library.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum BuildError {
    /// The files are at fault.
    #[error("{}\n{log}", match outcome {
        Refusal::BuildFailed => "the build failed",
        Refusal::AuditRejected => "the library was rejected",
    })]
    Candidate {
        /// In which way.
        outcome: Refusal,
        /// What the tools said; names are relative to the tree.
        log: String,
    },
    /// The machine has no compiler.
    #[error(transparent)]
    #[diagnostic(transparent)]
    NoCompiler(#[from] NoCompiler),
    /// There is no tree to build.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Tree(TreeError),
    /// A build for practice, of a library in a language that there is none for.
    #[error("libraries in {language} can't be built for sanitizers, debuggers or memcheck")]
    #[diagnostic(help("leave out `--sanitize`, `--ctgrind` or `--under`"))]
    NoPractice {
        /// The language.
        language: &'static str,
    },
    /// Our own machinery failed.
    #[error("building: {0}")]
    Internal(#[from] io::Error),
}

impl BuildError {
    fn failed(log: String) -> BuildError {
        BuildError::Candidate { outcome: Refusal::BuildFailed, log }
    }

    fn rejected(log: String) -> BuildError {
        BuildError::Candidate { outcome: Refusal::AuditRejected, log }
    }
}

impl From<TreeError> for BuildError {
    fn from(error: TreeError) -> BuildError {
        match error {
            TreeError::TooLarge { .. } => BuildError::failed(error.to_string()),
            TreeError::Foreign { .. } => BuildError::rejected(error.to_string()),
            error => BuildError::Tree(error),
        }
    }
}

impl From<globset::Error> for BuildError {
    fn from(error: globset::Error) -> BuildError {
        BuildError::Tree(TreeError::Glob(error))
    }
}

/// Builds the libraries of a request, or finds them in the cache.
///
/// # Errors
/// See [`BuildError`].
pub fn build(request: &BuildRequest) -> Result<Built, BuildError> {
    let BuildRequest { task, overlay, layouts, profile, cache, progress } = *request;
    progress(Progress::Preparing);
    let compiler = Toolchain::discover(task.build.lang, cache, profile)?;
    let tree = tree::assemble(task, overlay, cache)?;
    let mut job = Job {
        task,
        symbols: contract(task),
        profile,
        cache,
        progress,
        objects: objects_key(task, &tree.files, &compiler),
        tools: &compiler,
        reference: None,
    };
    let mut reuse = None;
    if !matches!(overlay, Overlay::Pristine) {
        let pristine = tree::assemble(task, Overlay::Pristine, cache)?.files;
        if task.build.lang == Lang::Rust
            && let Some(why) = rust::scan::refusal(&tree.files, &pristine)
        {
            return Err(BuildError::rejected(why));
        }
        let upstream = source::upstream(task, cache).map_err(TreeError::from)?;
        let counted = reuse::measure(&tree.files, &pristine, &upstream);
        let limit = task.limits.reuse.filter(|_| matches!(overlay, Overlay::Workspace(_)));
        if let Some(why) = limit.and_then(|limit| counted.above(limit)) {
            return Err(BuildError::rejected(why));
        }
        reuse = Some(counted);
        job.reference = job.reference(&pristine)?;
    }
    let (layouts, link) = job.libraries(&tree.files, layouts)?;
    let flags = task.build.flags.clone();
    Ok(Built { layouts, link, ignored: tree.ignored, compiler, flags, reuse })
}

/// What a compiler or linker made of a candidate's files is none of what it should be.
fn unreadable(error: object::Error) -> BuildError {
    BuildError::rejected(error.to_string())
}

/// The symbols a library exports: those of all functions of all steps, each once.
pub fn contract(task: &Task) -> Vec<String> {
    let symbols = task.functions.iter().flat_map(|function| function.symbols.iter().cloned());
    let setup = task.setup.iter().map(|setup| setup.symbol.clone());
    let unique: std::collections::BTreeSet<String> = symbols.chain(setup).collect();
    unique.into_iter().collect()
}

struct Job<'a> {
    task: &'a Task,
    symbols: Vec<String>,
    profile: Profile,
    cache: &'a Cache,
    progress: &'a (dyn Fn(Progress) + Sync),
    /// Key of the objects.
    objects: String,
    tools: &'a Toolchain,
    /// What a candidate's library is held against.
    reference: Option<Reference>,
}

/// The reference, as a candidate's audit sees it.
struct Reference {
    /// Key of its objects.
    objects: String,
    sheet: Sheet,
}

/// The layout of the reference that audits look at: what they look at is in all of them.
const AUDITED_LAYOUT: u64 = 0;

impl Job<'_> {
    /// The reference of this candidate; none where it is the reference, file by file.
    fn reference(&self, tree: &Files) -> Result<Option<Reference>, BuildError> {
        let objects = objects_key(self.task, tree, self.tools);
        if objects == self.objects {
            return Ok(None);
        }
        let job = Job { symbols: self.symbols.clone(), objects, reference: None, ..*self };
        let ours = |error: BuildError| match error {
            // Not the candidate's fault.
            BuildError::Candidate { log, .. } => {
                BuildError::Internal(io::Error::other(format!("the reference: {log}")))
            }
            error => error,
        };
        let (libraries, _) = job.libraries(tree, &[AUDITED_LAYOUT]).map_err(ours)?;
        let lost = || io::Error::other("the cache lost the reference");
        let compiled = self.cache.load(OBJECTS, &job.objects).ok_or_else(lost)?;
        let library = std::fs::read(&libraries.first().ok_or_else(lost)?.path)?;
        let sheet = Sheet::of(&compiled, &library).map_err(io::Error::other)?;
        Ok(Some(Reference { objects: job.objects, sheet }))
    }

    /// The libraries, and what linking one took; nothing where all were there already.
    fn libraries(
        &self,
        tree: &Files,
        seeds: &[u64],
    ) -> Result<(Vec<Library>, Duration), BuildError> {
        let mut one = Duration::ZERO;
        let mut found: Vec<Option<Library>> = seeds.iter().map(|&seed| self.cached(seed)).collect();
        if found.iter().any(Option::is_none) {
            let objects = self.cache.load(OBJECTS, &self.objects);
            // Before the site: there is one at a time.
            let ground = match self.task.build.lang {
                Lang::Rust if objects.is_none() => Some(self.ground(tree)?),
                _ => None,
            };
            let mut sight = self.tools.sight();
            sight.read.extend(ground.iter().flat_map(Ground::sight));
            let seconds = self.task.limits.build_seconds;
            let site = Site::open(self.cache, self.profile, (tree, sight), seconds)?;
            let objects = match objects {
                Some(objects) => objects,
                None => self.compile(tree, &site, ground.as_ref())?,
            };
            let kind = (self.task.build.lang, self.task.name.as_str());
            let linking = Linking::prepare(&site, self.tools, kind, &objects, &self.symbols)?;
            let compiled = self.reference.as_ref().map(|_| Sheet::of_objects(&objects));
            let compiled = compiled.transpose().map_err(unreadable)?;
            let begin = Instant::now();
            let missing = found.iter().filter(|place| place.is_none()).count() as u32;
            for (done, (&seed, place)) in seeds.iter().zip(&mut found).enumerate() {
                (self.progress)(Progress::Linking { done, total: seeds.len() });
                if place.is_none() {
                    *place = Some(self.link(&linking, compiled, seed)?);
                }
            }
            one = begin.elapsed() / missing.max(1);
        }
        (self.progress)(Progress::Linking { done: seeds.len(), total: seeds.len() });
        Ok((found.into_iter().flatten().collect(), one))
    }

    fn ground(&self, tree: &Files) -> Result<Ground, BuildError> {
        let place = (self.cache, self.profile, self.task.limits.build_seconds);
        Ground::prepare(&self.task.build, tree, self.tools, place)
    }

    fn compile(
        &self,
        tree: &Files,
        site: &Site,
        ground: Option<&Ground>,
    ) -> Result<Files, BuildError> {
        let (spec, tools) = (&self.task.build, self.tools);
        let objects = match ground {
            Some(ground) => ground.compile(spec, tree, tools, site, self.progress)?,
            None => compile::compile(spec, tree, tools, site, &[], self.progress)?,
        };
        self.cache.store(OBJECTS, &self.objects, &objects)?;
        Ok(objects)
    }

    /// `compiled` is what the objects tell, where there is a reference to hold it against.
    fn link(
        &self,
        linking: &Linking,
        compiled: Option<Sheet>,
        seed: u64,
    ) -> Result<Library, BuildError> {
        let library = linking.link(seed)?;
        audit::audit(&library, &self.symbols).map_err(BuildError::rejected)?;
        if let (Some(reference), Some(compiled)) = (&self.reference, compiled) {
            let sheet = compiled.and_of(&library).map_err(unreadable)?;
            sheet.compare(&reference.sheet, self.task).map_err(BuildError::rejected)?;
            sheet::holds_no_other(&library).map_err(BuildError::rejected)?;
        }
        let files = Files([(LIBRARY.to_owned(), library)].into());
        self.cache.store(LIBRARIES, &self.key(seed), &files)?;
        self.cached(seed).ok_or_else(|| io::Error::other("the cache lost a library").into())
    }

    fn cached(&self, seed: u64) -> Option<Library> {
        let key = self.key(seed);
        let files = self.cache.load(LIBRARIES, &key)?;
        let sha256 = sha256(files.0.get(LIBRARY)?);
        Some(Library { path: self.cache.path(LIBRARIES, &key, LIBRARY), sha256, seed })
    }

    fn key(&self, seed: u64) -> String {
        let reference = self.reference.as_ref().map(|reference| reference.objects.as_str());
        library_key((&self.objects, reference), self.task, &self.symbols, self.tools, seed)
    }
}

#[cfg(test)]
#[path = "build_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "kernels_tests.rs"]
mod kernels;

#[cfg(test)]
#[path = "refusal_tests.rs"]
mod refusals;
