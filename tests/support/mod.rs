//! What the end-to-end tests share: a root with the `toy` task, workspaces, and gradings through
//! the built binary.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;
use speedgate::report::record::Record;
use speedgate::sandbox::Profile;
use speedgate_harness::wire::series::Entry;
use speedgate_harness::wire::{BufferDesc, Header};
use tempfile::TempDir;

/// Where the fixtures are.
fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// What a workspace starts from.
#[derive(Debug, Clone, Copy)]
pub enum Base {
    /// The pristine tree.
    Pristine,
    /// The pristine tree with the reference solution of a step.
    Solution(&'static str),
}

/// The two steps of the task.
pub const FIRST: &str = "01-counting";
pub const SECOND: &str = "02-text";

/// A folder of one test: `root` with the task, `my` the workspace, `out` for results.
pub struct Bench {
    dir: TempDir,
}

impl Bench {
    /// The task, calibrated as if on this machine.
    pub fn new() -> Bench {
        let dir = tempfile::tempdir().unwrap();
        // An ordinary user has to get in, too.
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let bench = Bench { dir };
        copy(&tests().join("fixtures"), &bench.root());
        let cpu = speedgate::timer::machine::machine().cpu;
        bench.recalibrate("cpu = \"this\"", &format!("cpu = {cpu:?}"));
        bench
    }

    /// With a workspace.
    pub fn with(base: Base) -> Bench {
        let bench = Bench::new();
        copy(&bench.root().join("kernels/toy/src"), &bench.workspace());
        copy(&bench.root().join("kernels/toy/include"), &bench.workspace().join("include"));
        if let Base::Solution(step) = base {
            copy(&bench.root().join("baselines/toy").join(step), &bench.workspace());
        }
        bench
    }

    /// With a workspace that holds the files of a planted submission.
    pub fn submitted(name: &str, base: Base) -> Bench {
        let bench = Bench::with(base);
        copy(&tests().join("submissions").join(name), &bench.workspace());
        let start = bench.workspace().join("start.c");
        if let Ok(text) = fs::read_to_string(&start) {
            let sizes = [
                ("HEADER_BYTES", size_of::<Header>()),
                ("BUFFER_BYTES", size_of::<BufferDesc>()),
                ("ENTRY_BYTES", size_of::<Entry>()),
            ];
            let known =
                |text: String, (name, size): (&str, usize)| text.replace(name, &size.to_string());
            fs::write(start, sizes.into_iter().fold(text, known)).unwrap();
        }
        bench
    }

    /// Changes the calibration.
    pub fn recalibrate(&self, from: &str, to: &str) {
        let marks = self.calibration();
        let text = fs::read_to_string(&marks).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(&marks, text.replace(from, to)).unwrap();
    }

    pub fn calibration(&self) -> PathBuf {
        self.root().join("baselines/toy/calibration.toml")
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn root(&self) -> PathBuf {
        self.path().join("root")
    }

    pub fn workspace(&self) -> PathBuf {
        self.path().join("my")
    }

    pub fn out(&self) -> PathBuf {
        self.path().join("out")
    }

    /// Replaces a file of the workspace by a link.
    pub fn link(&self, target: &str, name: &str) {
        let path = self.workspace().join(name);
        let _ = fs::remove_file(&path);
        symlink(target, path).unwrap();
    }

    /// What all benches of a run of tests have built.
    pub fn cache(&self) -> PathBuf {
        Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache")
    }

    /// The binary, in this bench.
    pub fn speedgate(&self) -> Command {
        self.command(env!("CARGO_BIN_EXE_speedgate"))
    }

    /// Another program in this bench that will run the binary.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env("SPEEDGATE_ROOT", self.root()).env("SPEEDGATE_CACHE", self.cache());
        command.current_dir(self.path());
        command
    }

    /// `grade` of the workspace.
    pub fn grade(&self, step: &str) -> Command {
        let mut command = self.speedgate();
        command.args(["grade", "toy", "--step", step, "--workspace", "my", "--out", "out"]);
        if Profile::detect() == Profile::User {
            command.arg("--trust-workspace");
        }
        command
    }

    /// What a finished grading left, checked for everything that holds of each: the record is one,
    /// all three files say the same, and nothing else lies there.
    pub fn verdict(&self) -> Record {
        let out = self.out();
        let record = record(&fs::read(out.join("result.json")).unwrap());
        let reward = record.reward.expect("a grading has a reward");
        self.rewarded(reward);
        assert_eq!(fs::read_dir(&out).unwrap().count(), 3, "no temporary file stays");
        let (right, fast) = (record.correct == Some(true), record.fast == Some(true));
        assert_eq!(reward == 1, right && fast);
        record
    }

    /// Both reward files hold exactly this.
    pub fn rewarded(&self, reward: u8) {
        let read = |name: &str| fs::read_to_string(self.out().join(name)).unwrap();
        assert_eq!(read("reward.json"), format!("{{\"reward\": {reward}}}\n"));
        assert_eq!(read("reward.txt"), format!("{reward}\n"));
    }

    /// Nothing but zeros was left.
    pub fn only_zeros(&self) {
        self.rewarded(0);
        assert_eq!(fs::read_dir(self.out()).unwrap().count(), 2, "no result, no partial file");
    }
}

/// A record as the published schema has it: its own types refuse what they do not know, and a test
/// holds the schema against those types.
pub fn record(json: &[u8]) -> Record {
    let value: Value = serde_json::from_slice(json).expect("one JSON document");
    let schema = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/result.schema.json"));
    let schema: Value = serde_json::from_slice(&schema.unwrap()).unwrap();
    for key in schema["required"].as_array().unwrap() {
        assert!(value.get(key.as_str().unwrap()).is_some(), "{key} is missing");
    }
    for key in value.as_object().unwrap().keys() {
        assert!(schema["properties"].get(key).is_some(), "{key} is not in the schema");
    }
    serde_json::from_value(value).expect("a record")
}

/// Control groups whose names begin like this.
pub fn groups(prefix: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from("/sys/fs/cgroup")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(prefix) {
                found.push(entry.path());
            } else if !name.starts_with("speedgate-") && entry.file_type().is_ok_and(|t| t.is_dir())
            {
                folders.push(entry.path());
            }
        }
    }
    found
}

/// Root folders of workers that nobody holds any more. (Other tests have theirs beside them.)
pub fn cells(cache: &Path) -> Vec<PathBuf> {
    let abandoned = |folder: &PathBuf| File::open(folder).is_ok_and(|f| f.try_lock().is_ok());
    let all = fs::read_dir(cache.join("cells")).into_iter().flatten().flatten();
    all.map(|cell| cell.path()).filter(abandoned).collect()
}

/// Copies a folder's content into another, which is made if need be.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Whoever measures is alone; whoever only has outputs checked is so among themselves. Held until
/// dropped, across processes.
pub struct Turn(#[expect(dead_code, reason = "held open")] File);

fn turnstile() -> File {
    File::create(Path::new(env!("CARGO_TARGET_TMPDIR")).join("turn")).unwrap()
}

/// A turn for a test whose verdict is about speed.
pub fn alone() -> Turn {
    let file = turnstile();
    file.lock().unwrap();
    Turn(file)
}

/// A turn for a test that ends before anything is timed against the reference.
pub fn together() -> Turn {
    let file = turnstile();
    file.lock_shared().unwrap();
    Turn(file)
}
