//! Gradings that are killed at a random moment: what they leave is a valid reward or none, nobody
//! lives on, and the next grading is as any other.
//!
//! `SPEEDGATE_KILLS=200 cargo test --test kill -- --nocapture` kills two hundred.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use speedgate::report::record::Outcome;
use support::{Base, Bench, FIRST, alone};

/// How many, unless told otherwise.
const KILLS: usize = 3;
/// A grading of the toy task takes that long at most where nobody is in its way.
const LONGEST: Duration = Duration::from_secs(12);
/// Of so many checks that follow a kill, one is of everything; the others are of one call, which
/// takes all the steps until code is mapped.
const WHOLE: usize = 10;
/// Abandoned folders are swept by whoever comes later than that; younger ones may be in the making.
const SWEPT: Duration = Duration::from_secs(180);
/// What the kernel may take to end a process on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn a_killed_grading_leaves_a_valid_reward_or_none_and_nobody_behind() {
    let _turn = alone();
    let kills = std::env::var("SPEEDGATE_KILLS").ok().and_then(|n| n.parse().ok());
    let bench = Bench::with(Base::Pristine);
    // What a kill may interrupt: one grading from beginning to end, but for waiting for the cores.
    let begin = Instant::now();
    bench.grade(FIRST).assert().code(0);
    let longest = begin.elapsed().min(LONGEST);
    let mounts = mounts();
    let mut moments = [0; 3];
    for number in 0..kills.unwrap_or(KILLS) {
        let _ = fs::remove_dir_all(bench.out());
        let mut grading = start(&bench);
        std::thread::sleep(moment(longest));
        // Stopped, so that it starts nobody between being looked at and being killed.
        let supervisor = Pid::from_raw(grading.id() as i32);
        let alive = grading.try_wait().unwrap().is_none();
        let _ = kill(supervisor, Signal::SIGSTOP);
        let children = children_of(grading.id());
        let _ = kill(supervisor, Signal::SIGKILL);
        grading.wait().unwrap();
        let left = reward(&bench.out());
        moments[if !alive { 2 } else { usize::from(left.is_some()) }] += 1;
        // The tree to start from is too slow: whenever it is killed, there is nothing but 0.
        assert!(left.is_none_or(|reward| reward == 0), "kill {number}: {left:?}");
        ended(&children);
        let groups = support::groups(&format!("speedgate-{}-", grading.id()));
        // The next one, which maps code: right away, in the same folder, with the same cache.
        let mut check = vec!["check", "toy", "--step", "01", "--workspace", "my", "--json"];
        if number % WHOLE != 0 {
            check.extend(["--replay", "rank:3"]);
        }
        let done = bench.speedgate().args(check).assert().code(0);
        let record = support::record(&done.get_output().stdout);
        assert_eq!((record.outcome, record.correct), (Outcome::Pass, Some(true)), "kill {number}");
        for group in groups {
            assert!(!group.exists(), "kill {number}: {} is still there", group.display());
        }
        let mut left = support::cells(&bench.cache());
        left.retain(|folder| age(folder) > SWEPT);
        assert!(left.is_empty(), "kill {number}: {left:?} are still there");
        assert_eq!(self::mounts(), mounts, "kill {number}");
    }
    bench.grade(FIRST).assert().code(0);
    let record = bench.verdict();
    assert_eq!((record.outcome, record.reward), (Outcome::TooSlow, Some(0)), "{}", record.message);
    let [before, during, after] = moments;
    eprintln!("killed: {before} before there was a reward, {during} after, {after} were over");
}

fn start(bench: &Bench) -> Child {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_speedgate"));
    command.env("SPEEDGATE_ROOT", bench.root()).env("SPEEDGATE_CACHE", bench.cache());
    command.args(["grade", "toy", "--step", FIRST, "--workspace", "my", "--out", "out"]);
    if speedgate::sandbox::Profile::detect() == speedgate::sandbox::Profile::User {
        command.arg("--trust-workspace");
    }
    command.current_dir(bench.path()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// Early moments are the more interesting ones.
fn moment(longest: Duration) -> Duration {
    let chance: f64 = rand::random();
    longest.mul_f64(chance * chance)
}

/// How long ago a folder was made; not at all where it is gone by now.
fn age(folder: &Path) -> Duration {
    let made = fs::metadata(folder).and_then(|meta| meta.modified());
    made.ok().and_then(|made| made.elapsed().ok()).unwrap_or_default()
}

/// File systems that have to do with us.
fn mounts() -> Vec<String> {
    let all = fs::read_to_string("/proc/self/mountinfo").unwrap();
    all.lines().filter(|line| line.contains("speedgate")).map(str::to_owned).collect()
}

/// The reward, which both files must agree on; none where there is none yet. Half of a file is none
/// that may be there.
fn reward(out: &Path) -> Option<u64> {
    let read = |name: &str| fs::read_to_string(out.join(name)).ok();
    let json = read("reward.json").map(|text| -> u64 {
        let value: Value = serde_json::from_str(&text).expect("whole");
        value["reward"].as_u64().expect("a number")
    });
    let text = read("reward.txt").map(|text| -> u64 { text.trim().parse().expect("whole") });
    if let (Some(json), Some(text)) = (json, text) {
        assert_eq!(json, text);
    }
    if let Some(result) = read("result.json") {
        let _whole: Value = serde_json::from_str(&result).expect("whole");
    }
    json
}

/// Processes that it started, and the moment when each began: numbers are used again.
fn children_of(supervisor: u32) -> BTreeSet<(u32, u64)> {
    let mut all = BTreeSet::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|n| n.parse().ok()) else { continue };
        if let Some((parent, _, began)) = stat(pid)
            && parent == supervisor
        {
            all.insert((pid, began));
        }
    }
    all
}

/// Parent, state and beginning of a process.
fn stat(pid: u32) -> Option<(u32, char, u64)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some((fields[1].parse().ok()?, fields[0].chars().next()?, fields[19].parse().ok()?))
}

/// Waits until all of these are gone.
fn ended(children: &BTreeSet<(u32, u64)>) {
    let begin = Instant::now();
    let lives = |(pid, began): &(u32, u64)| {
        stat(*pid).is_some_and(|(_, state, since)| since == *began && !matches!(state, 'Z' | 'X'))
    };
    while let Some((pid, _)) = children.iter().find(|child| lives(child)) {
        assert!(begin.elapsed() < PATIENCE, "process {pid} outlived its supervisor");
        std::thread::sleep(Duration::from_millis(10));
    }
}
