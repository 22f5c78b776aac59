//! The reward files. They are written as 0 before anything else happens, so that whatever ends a
//! grading early (a crash, a deadline, a full disk) leaves a valid 0 behind, and are replaced
//! atomically at the very end.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use crate::report::{atomic, record::Record};

/// The output folder can't be used.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum RewardError {
    /// A file could not be written.
    #[error("can't write `{}`: {source}", path.display())]
    #[diagnostic(help("--out must name a folder that this user may create or write to"))]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The record could not be put into words.
    #[error("can't write the record as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// The three files of a grading: `reward.json`, `reward.txt`, `result.json`.
#[derive(Debug)]
pub struct RewardFiles {
    folder: PathBuf,
}

impl RewardFiles {
    /// Creates the folder if need be, keeps others from renaming files in it, writes both rewards
    /// as 0 and removes the result of an earlier grading, also half of one.
    pub fn open(folder: &Path) -> Result<Self, RewardError> {
        fs::create_dir_all(folder).map_err(|e| failed(folder, e))?;
        take_over(folder).map_err(|e| failed(folder, e))?;
        let files = RewardFiles { folder: folder.to_owned() };
        files.remove_halves().map_err(|e| failed(folder, e))?;
        files.write_reward(0)?;
        let result = files.result();
        clear(&result).map_err(|e| failed(&result, e))?;
        match fs::remove_file(&result) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(failed(&result, e)),
            _ => Ok(files),
        }
    }

    /// Removes what a grading that was killed had not yet put in place.
    fn remove_halves(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let half = entry.file_name().to_str().is_some_and(|n| n.starts_with(atomic::PREFIX));
            if half && entry.file_type()?.is_file() {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// Where the record goes.
    pub fn result(&self) -> PathBuf {
        self.folder.join("result.json")
    }

    /// Writes the record, then the reward it holds (0 when it holds none).
    pub fn finish(self, record: &Record) -> Result<(), RewardError> {
        let mut json = serde_json::to_vec_pretty(record)?;
        json.push(b'\n');
        self.write("result.json", &json)?;
        self.write_reward(record.reward.unwrap_or(0))
    }

    /// Some readers take the JSON file first, others the text: both hold the same number.
    fn write_reward(&self, reward: u8) -> Result<(), RewardError> {
        self.write("reward.json", format!("{{\"reward\": {reward}}}\n").as_bytes())?;
        self.write("reward.txt", format!("{reward}\n").as_bytes())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), RewardError> {
        let path = self.folder.join(name);
        clear(&path).and_then(|()| atomic::write(&path, bytes)).map_err(|e| failed(&path, e))
    }
}

fn failed(path: &Path, source: io::Error) -> RewardError {
    RewardError::Write { path: path.to_owned(), source }
}

/// A folder in the place of a file is the one thing that a rename does not replace: it goes.
fn clear(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(path),
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

/// Makes the folder ours where we may, and takes group and others their right to write to it, so
/// that no other user renames or replaces a reward. One of root's with the sticky bit, such as
/// `/tmp`, protects each owner's files by itself and stays as it is.
fn take_over(folder: &Path) -> io::Result<()> {
    let mut meta = fs::metadata(folder)?;
    let me = nix::unistd::geteuid();
    if me.is_root() && meta.uid() != 0 {
        // Its owner could open it again, whatever its mode. Where that is refused (a folder of
        // another machine's), a reward that is written last is still the best there is.
        let _ = chown(folder, Some(0), None);
        meta = fs::metadata(folder)?;
    }
    let mode = meta.permissions().mode();
    if meta.uid() == me.as_raw() && mode & 0o022 != 0 && mode & 0o1000 == 0 {
        fs::set_permissions(folder, fs::Permissions::from_mode(mode & 0o7755))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::record::Outcome;
    use crate::report::sample_record;
    use std::os::unix::fs::symlink;

    fn read(dir: &Path, name: &str) -> String {
        fs::read_to_string(dir.join(name)).unwrap()
    }

    #[test]
    fn zero_first_then_the_reward() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("deep/out");
        let files = RewardFiles::open(&out).unwrap();
        assert_eq!(read(&out, "reward.json"), "{\"reward\": 0}\n");
        assert_eq!(read(&out, "reward.txt"), "0\n");
        assert!(!out.join("result.json").exists());

        let record = sample_record(Outcome::Pass);
        files.finish(&record).unwrap();
        assert_eq!(read(&out, "reward.json"), "{\"reward\": 1}\n");
        assert_eq!(read(&out, "reward.txt"), "1\n");
        let back: Record = serde_json::from_str(&read(&out, "result.json")).unwrap();
        assert_eq!(back, record);
        assert_eq!(fs::read_dir(&out).unwrap().count(), 3, "no temporary file stays");
    }

    #[test]
    fn an_earlier_grading_leaves_nothing_to_believe() {
        let dir = tempfile::tempdir().unwrap();
        RewardFiles::open(dir.path()).unwrap().finish(&sample_record(Outcome::Pass)).unwrap();
        drop(RewardFiles::open(dir.path()).unwrap());
        assert_eq!(read(dir.path(), "reward.txt"), "0\n");
        assert!(!dir.path().join("result.json").exists());
    }

    #[test]
    fn a_record_without_a_reward_gives_zero() {
        let dir = tempfile::tempdir().unwrap();
        let files = RewardFiles::open(dir.path()).unwrap();
        let mut record = sample_record(Outcome::InternalError);
        record.reward = None;
        files.finish(&record).unwrap();
        assert_eq!(read(dir.path(), "reward.json"), "{\"reward\": 0}\n");
    }

    #[test]
    fn planted_links_are_replaced_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (out, victim) = (dir.path().join("out"), dir.path().join("victim"));
        fs::create_dir(&out).unwrap();
        fs::write(&victim, "precious").unwrap();
        for name in ["reward.json", "reward.txt", "result.json"] {
            symlink(&victim, out.join(name)).unwrap();
        }
        RewardFiles::open(&out).unwrap().finish(&sample_record(Outcome::TooSlow)).unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
        for name in ["reward.json", "reward.txt", "result.json"] {
            assert!(fs::symlink_metadata(out.join(name)).unwrap().is_file());
        }
    }

    #[test]
    fn the_folder_is_closed_to_others() {
        let dir = tempfile::tempdir().unwrap();
        let mode = |m: u32| {
            fs::set_permissions(dir.path(), fs::Permissions::from_mode(m)).unwrap();
            RewardFiles::open(dir.path()).unwrap();
            fs::metadata(dir.path()).unwrap().permissions().mode() & 0o7777
        };
        assert_eq!(mode(0o777), 0o755);
        assert_eq!(mode(0o1777), 0o1777, "the sticky bit protects already");
        assert_eq!(mode(0o700), 0o700);
    }

    #[test]
    fn a_folder_of_somebody_elses_is_taken_over() {
        if !nix::unistd::geteuid().is_root() {
            eprintln!("SKIPPED: only root can take a folder over");
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        fs::create_dir(&out).unwrap();
        chown(&out, Some(65_534), Some(65_534)).unwrap();
        fs::set_permissions(&out, fs::Permissions::from_mode(0o1777)).unwrap();
        RewardFiles::open(&out).unwrap();
        assert_eq!(fs::metadata(&out).unwrap().uid(), 0);
    }

    #[test]
    fn planted_folders_and_halves_make_way() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["reward.json", "reward.txt", "result.json"] {
            fs::create_dir_all(dir.path().join(name).join("deep")).unwrap();
        }
        fs::write(dir.path().join(".speedgate-abc"), "{\"rew").unwrap();
        let files = RewardFiles::open(dir.path()).unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
        // And again while the grading runs.
        fs::remove_file(dir.path().join("reward.json")).unwrap();
        fs::create_dir(dir.path().join("reward.json")).unwrap();
        files.finish(&sample_record(Outcome::Pass)).unwrap();
        assert_eq!(read(dir.path(), "reward.json"), "{\"reward\": 1}\n");
    }

    #[test]
    fn a_file_in_the_folders_place_is_a_clear_error() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("file");
        fs::write(&out, "").unwrap();
        let error = RewardFiles::open(&out).unwrap_err();
        assert!(error.to_string().contains("file"), "{error}");
    }
}
