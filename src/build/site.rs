//! The place where compilers and linkers work on files that nobody trusts.
//!
//! ```text
//! <cache>/tmp/XXXX/        root's, closed to all but the builder
//!   tree/                  the sources: readable, not writable
//!   given/                 objects and the version script for the linker: likewise
//!   out/                   the builder's own: results, and TMPDIR
//! ```
//! Where everything runs as one user only the last line of defence is left: what comes out is
//! audited, and what was audited is what is loaded.

use std::fs::{self, File, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, chown};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::sandbox::{self, Finished, Group, Jail, Party, Profile, Sight};
use crate::task::cache::Cache;
use crate::task::files::Files;
use crate::task::scratch::Scratch;

/// Address space of one compiler or linker process.
const MEMORY: u64 = 3 << 30;
/// Processes of a build at a time.
const PROCESSES: u64 = 64;
/// Largest file that one may write: a big object with room to spare.
const FILE: u64 = 256 << 20;
/// What is kept of the messages. The first error is the one that counts.
const LOG: usize = 16 << 10;

/// A building site; everything on it is gone when it is dropped.
pub struct Site {
    dir: Scratch,
    uid: Option<u32>,
    sight: Sight,
    group: Option<Arc<Group>>,
    deadline: Instant,
    seconds: u64,
    /// Held while we build: the sweep at the end kills every process of the builder's user.
    _turn: Option<File>,
}

impl Site {
    /// Opens a site with `tree` on it, from which nothing but that and `sight` can be seen, where
    /// the kernel can see to it. All work there must be done after `seconds`, counted from when
    /// it is our turn.
    pub fn open(
        cache: &Cache,
        profile: Profile,
        (tree, mut sight): (&Files, Sight),
        seconds: u64,
    ) -> io::Result<Site> {
        let uid = profile.uid(Party::Builder);
        let turn = uid.map(|uid| take_turn(cache, uid)).transpose()?;
        let dir = cache.scratch()?;
        let deadline = Instant::now() + Duration::from_secs(seconds);
        sight.read.extend(["tree", "given"].map(|folder| dir.path().join(folder)));
        sight.write.push(dir.path().join("out"));
        // Where there is none to have, the limits of each process are all there is.
        let group = Group::new(2 * MEMORY, PROCESSES).ok().map(Arc::new);
        let site = Site { dir, uid, sight, group, deadline, seconds, _turn: turn };
        let root = site.dir.path();
        for folder in ["tree", "given", "out"] {
            fs::create_dir(root.join(folder))?;
            fs::set_permissions(root.join(folder), Permissions::from_mode(0o755))?;
        }
        tree.write(&root.join("tree"), 0o444)?;
        fs::set_permissions(root.join("out"), Permissions::from_mode(0o700))?;
        chown(root.join("out"), uid, uid)?;
        chown(root, None, uid)?;
        fs::set_permissions(root, Permissions::from_mode(0o750))?;
        Ok(site)
    }

    /// Puts files where the builder can read them, as `../given/<name>`.
    pub fn give(&self, files: &Files) -> io::Result<()> {
        files.write(&self.dir.path().join("given"), 0o444)
    }

    /// Runs a tool in `tree/` under the builder's user, with its own limits.
    pub fn run(&self, program: &Path, args: &[String]) -> io::Result<Finished> {
        self.run_with(program, args, &[])
    }

    /// The same, with more in the tool's environment.
    pub fn run_with(
        &self,
        program: &Path,
        args: &[String],
        env: &[(String, String)],
    ) -> io::Result<Finished> {
        let mut command = sandbox::command(program);
        command.envs(env.iter().map(|(name, value)| (name, value)));
        command.args(args).current_dir(self.dir.path().join("tree"));
        // For `__DATE__` and `__TIME__`: the same sources give the same library.
        command.env("SOURCE_DATE_EPOCH", "0").env("HOME", "/nonexistent");
        command.env("TMPDIR", self.dir.path().join("out"));
        let jail = Jail {
            uid: self.uid,
            memory_bytes: Some(MEMORY),
            cpu_seconds: Some(self.seconds.max(1)),
            file_size: Some(FILE),
            open_files: Some(256),
            processes: Some(PROCESSES),
            sight: Some(self.sight.clone()),
            group: self.group.clone(),
            ..Jail::default()
        };
        sandbox::run(command, &jail, self.deadline, LOG)
    }

    /// Takes a result out of `out/` once no process is left that could still change it.
    ///
    /// # Errors
    /// When it is not there, is no regular file, or is larger than any honest result.
    pub fn take(&self, name: &str) -> io::Result<Vec<u8>> {
        self.sweep()?;
        let path = self.out().join(name);
        let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
        let file = File::options().read(true).custom_flags(flags).open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other(format!("{name} is no regular file")));
        }
        let mut bytes = Vec::new();
        file.take(FILE + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > FILE {
            return Err(io::Error::other(format!("{name} is larger than {FILE} bytes")));
        }
        Ok(bytes)
    }

    /// Whether a file that a compiler says it has read is one that it may read: one of the tree
    /// (`named` may be relative to that), or a header of the system.
    pub fn may_include(&self, named: &Path) -> bool {
        let header = |path: &Path| path.components().any(|part| part.as_os_str() == "include");
        let system = |path: &Path| self.sight.read.iter().any(|place| path.starts_with(place));
        self.may_assemble(named)
            || plain(&self.dir.path().join("tree").join(named))
                .is_some_and(|path| header(&path) && system(&path))
    }

    /// The same of an assembler, which has nothing to look for in the system: libraries there are
    /// code that somebody else has compiled.
    pub fn may_assemble(&self, named: &Path) -> bool {
        let root = self.dir.path();
        let own = ["tree", "out"].map(|folder| root.join(folder));
        plain(&root.join("tree").join(named))
            .is_some_and(|path| own.iter().any(|place| path.starts_with(place)))
    }

    /// Size of what lies in `out/` under this name, in bytes; 0 if nothing does.
    pub fn size(&self, name: &str) -> u64 {
        fs::symlink_metadata(self.out().join(name)).map_or(0, |meta| meta.len())
    }

    /// Where the sources are.
    pub fn tree(&self) -> PathBuf {
        self.dir.path().join("tree")
    }

    /// Where results go.
    pub fn out(&self) -> PathBuf {
        self.dir.path().join("out")
    }

    fn sweep(&self) -> io::Result<()> {
        self.uid.map_or(Ok(()), sandbox::sweep)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // Nothing more can be done about a failure here; `take` has reported its own.
        let _ = self.sweep();
    }
}

/// A path without `.` and `..`; none if it leads above the root.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => plain.pop().then_some(())?,
            part => plain.push(part),
        }
    }
    Some(plain)
}

/// Waits until no other speedgate builds as this user.
fn take_turn(cache: &Cache, uid: u32) -> io::Result<File> {
    let name = format!("speedgate-{uid}.lock");
    let open = |folder: &Path| {
        File::options().create(true).append(true).mode(0o600).open(folder.join(&name))
    };
    // One place for the whole machine; where it cannot be written, one for this cache.
    let file = open(Path::new("/run")).or_else(|_| open(&cache.private("locks")?))?;
    file.lock()?;
    Ok(file)
}
