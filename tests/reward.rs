//! The reward channel: whatever lies in its place, whoever writes there, whatever gives out, what is
//! left at the end is a valid reward, and never one that was not earned.

mod support;

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use speedgate::report::record::Outcome;
use support::{Base, Bench, FIRST, together};

const NAMES: [&str; 3] = ["reward.json", "reward.txt", "result.json"];

/// A submission that fails at the gate, so that nothing is timed.
fn failing() -> Bench {
    Bench::submitted("returns-at-once", Base::Solution(FIRST))
}

fn refused(bench: &Bench) {
    bench.grade(FIRST).assert().code(0);
    let record = bench.verdict();
    assert_eq!((record.outcome, record.reward), (Outcome::WrongOutput, Some(0)));
    for name in NAMES {
        let kind = fs::symlink_metadata(bench.out().join(name)).unwrap().file_type();
        assert!(kind.is_file(), "{name}");
    }
}

/// Files, links, pipes and folders that say 1 are gone, and what links led to is as it was.
#[test]
fn what_was_planted_is_replaced() {
    let _turn = together();
    let bench = failing();
    let victim = bench.path().join("victim");
    let plants: [&dyn Fn(&Path); 5] = [
        &|path| fs::write(path, "{\"reward\": 1}\n").unwrap(),
        &|path| symlink(&victim, path).unwrap(),
        &|path| mkfifo(path, Mode::S_IRWXU).unwrap(),
        &|path| fs::create_dir_all(path.join("reward.json")).unwrap(),
        &|path| symlink("/nonexistent/place", path).unwrap(),
    ];
    // Each of them somewhere, and the ones that are worst in the place of the reward.
    for first in [1, 3] {
        fs::write(&victim, "precious").unwrap();
        let _ = fs::remove_dir_all(bench.out());
        fs::create_dir(bench.out()).unwrap();
        for (name, plant) in NAMES.iter().zip(plants.iter().cycle().skip(first)) {
            plant(&bench.out().join(name));
        }
        refused(&bench);
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    }
}

/// Ends with its owner.
struct Rewriter(Child);

impl Drop for Rewriter {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Somebody else, to whom the folder belongs and who writes to it all the time, by name and through
/// files that he had open before.
#[test]
fn who_rewrites_the_files_all_the_time_is_shut_out() {
    let _turn = together();
    if !nix::unistd::geteuid().is_root() {
        eprintln!("SKIPPED: only root can be somebody else");
        return;
    }
    let bench = failing();
    let out = bench.out();
    fs::create_dir(&out).unwrap();
    chown(&out, Some(65_534), Some(65_534)).unwrap();
    fs::set_permissions(&out, fs::Permissions::from_mode(0o777)).unwrap();
    let script = "exec 7>reward.json 8>reward.txt; echo ready > ready
                  while :; do
                    echo '{\"reward\": 1}' >&7; echo 1 >&8
                    chmod 777 . 2>/dev/null; mkdir reward.json 2>/dev/null
                    echo '{\"reward\": 1}' > new 2>/dev/null && mv -f new reward.json 2>/dev/null
                    echo 1 > reward.txt 2>/dev/null; rm -f result.json 2>/dev/null
                  done";
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]).current_dir(&out).uid(65_534).gid(65_534);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let rewriter = Rewriter(command.spawn().unwrap());
    while !out.join("ready").exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    bench.grade(FIRST).assert().code(0);
    bench.rewarded(0);
    // For good: he goes on for a while.
    std::thread::sleep(Duration::from_millis(300));
    bench.rewarded(0);
    drop(rewriter);
    assert!(support::record(&fs::read(out.join("result.json")).unwrap()).reward == Some(0));
}

/// A disk that takes the zeros and no more: the record can't be written, and they stay.
#[test]
fn a_full_disk_leaves_the_zeros() {
    let _turn = together();
    let bench = failing();
    fs::create_dir(bench.out()).unwrap();
    let script = "mount -t tmpfs -o size=12k,mode=755 none out && : > mounted &&
                  \"$@\"; echo $? > code; cp out/reward.json out/reward.txt . 2>/dev/null;
                  ls out > listed; umount out";
    let grade = bench.grade(FIRST);
    let mut command = bench.command("unshare");
    command.args(["--mount", "sh", "-c", script, "sh"]);
    command.arg(grade.get_program()).args(grade.get_args());
    let done = command.output();
    if !bench.path().join("mounted").exists() {
        eprintln!("SKIPPED: no file system can be mounted here: {done:?}");
        return;
    }
    let read = |name: &str| fs::read_to_string(bench.path().join(name)).unwrap();
    assert_ne!(read("code").trim(), "0", "the record was written after all");
    assert_eq!((&*read("reward.json"), &*read("reward.txt")), ("{\"reward\": 0}\n", "0\n"));
    assert_eq!(read("listed"), "reward.json\nreward.txt\n", "half a record is left");
}

/// No workspace, or none that can be read: the zeros are there all the same.
#[test]
fn a_missing_workspace_leaves_the_zeros() {
    let _turn = together();
    for plant in [
        (|path: &Path| fs::remove_dir_all(path).unwrap()) as fn(&Path),
        |path| {
            fs::remove_dir_all(path).unwrap();
            fs::write(path, "a file").unwrap();
        },
        |path| {
            fs::remove_dir_all(path).unwrap();
            symlink("my", path).unwrap();
        },
    ] {
        let bench = failing();
        plant(&bench.workspace());
        bench.grade(FIRST).assert().code(2);
        bench.only_zeros();
    }
}
