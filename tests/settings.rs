//! The sandbox in three settings: root here, root in an unprivileged container, an ordinary user. The
//! card says in each what is missing there, and attacks are stopped all the same.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;
use speedgate::report::record::Outcome;
use support::{Base, Bench, FIRST, alone, together};

/// A setting, and what is absent in it whatever the machine.
type Setting = (&'static str, &'static [&'static str]);

const ROOT: Setting = ("root", &[]);
const CONTAINER: Setting = ("container", &["cgroup"]);
const USER: Setting = ("user", &["own-uid", "process-limit", "chroot", "cgroup"]);
/// As `scripts/settings` has it.
const USER_ID: u32 = 63_999;

/// At least one against each layer, of those that the clock has no say in.
const ATTACKS: [&str; 17] = [
    "reads-the-supervisor",
    "hits-the-supervisor",
    "writes-the-reward",
    "memo-in-a-file",
    "hunts-descriptors",
    "proc-self-mem",
    "own-filter",
    "ptrace",
    "new-namespace",
    "late-thread",
    "fork-bomb",
    "memory-bomb",
    "floods-the-log",
    "outranks-the-others",
    "opens-a-socket",
    "garbage",
    "endless-include",
];
/// Some that it has: two that must gain nothing, and one that is honest and fast.
const TIMED: [&str; 3] = ["content-cache", "precompute", "both-faster"];
const HONEST: [&str; 3] = ["does-without-threads", "asks-the-machine", "scratch-memory"];

/// A bench in which the binary runs in a setting; none where nobody can be put into one.
struct Place {
    bench: Bench,
    setting: Setting,
}

impl Place {
    fn new(setting: Setting, bench: Bench) -> Option<Place> {
        if !nix::unistd::geteuid().is_root() {
            eprintln!("SKIPPED: only root can give up what root has");
            return None;
        }
        for folder in [cache(&bench), bench.out()] {
            fs::create_dir_all(&folder).unwrap();
            if setting == USER {
                chown(&folder, Some(USER_ID), Some(USER_ID)).unwrap();
            }
        }
        Some(Place { bench, setting })
    }

    /// The binary with these arguments.
    fn speedgate(&self, args: &[&str]) -> Command {
        let binary = env!("CARGO_BIN_EXE_speedgate");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/settings");
        let mut command = match self.setting.0 {
            "root" => self.bench.command(binary),
            name => {
                let mut command = self.bench.command(script);
                command.args([name, binary]);
                command
            }
        };
        command.env("SPEEDGATE_CACHE", cache(&self.bench)).args(args);
        command
    }

    fn absent(&self) -> BTreeSet<String> {
        let done = self.speedgate(&["doctor", "--json"]).assert().code(0);
        let found: Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
        let card = found["capabilities"].as_array().unwrap().iter();
        card.filter(|c| c["state"] != "proven")
            .map(|c| c["name"].as_str().unwrap().into())
            .collect()
    }

    /// Runs attacks and honest submissions, all of which must end as they may.
    fn holds_out(&self) {
        let names = [&ATTACKS[..], &TIMED, &HONEST].concat();
        let args = [&["selftest", "attacks", "--json"], &names[..]].concat();
        let done = self.speedgate(&args).output().unwrap();
        let card: Value = serde_json::from_slice(&done.stdout)
            .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&done.stderr)));
        for finding in card["findings"].as_array().unwrap() {
            assert_eq!(finding["right"], true, "{}: {finding:#}", self.setting.0);
        }
        assert_eq!(card["findings"].as_array().unwrap().len(), names.len());
        assert!(done.status.success());
    }
}

/// Of a setting's own: not everybody may write to that of another.
fn cache(bench: &Bench) -> PathBuf {
    bench.path().join("cache")
}

/// What is missing is what the setting lacks, and what this machine lacks anyway.
#[test]
fn the_card_says_what_a_setting_lacks() {
    let _turn = together();
    let place = |setting| Place::new(setting, Bench::new());
    let (Some(root), Some(container), Some(user)) = (place(ROOT), place(CONTAINER), place(USER))
    else {
        return;
    };
    let here = root.absent();
    for place in [container, user] {
        let lacks = place.setting.1.iter().map(|name| (*name).to_owned());
        let expected: BTreeSet<String> = here.iter().cloned().chain(lacks).collect();
        assert_eq!(place.absent(), expected, "{}", place.setting.0);
    }
}

#[test]
fn attacks_are_stopped_with_all_that_root_has() {
    let _turn = alone();
    let Some(place) = Place::new(ROOT, Bench::new()) else { return };
    place.holds_out();
}

#[test]
fn attacks_are_stopped_in_a_container_without_privileges() {
    let _turn = alone();
    let Some(place) = Place::new(CONTAINER, Bench::new()) else { return };
    place.holds_out();
}

#[test]
fn attacks_are_stopped_as_an_ordinary_user() {
    let _turn = alone();
    let Some(place) = Place::new(USER, Bench::new()) else { return };
    place.holds_out();
}

/// A container's root grades as everybody's: the solution is rewarded, what fails is not.
#[test]
fn a_container_grades() {
    let _turn = alone();
    let args = ["grade", "toy", "--step", FIRST, "--workspace", "my", "--out", "out"];
    let bench = Bench::with(Base::Solution(FIRST));
    let Some(place) = Place::new(CONTAINER, bench) else { return };
    place.speedgate(&args).assert().code(0);
    let record = place.bench.verdict();
    assert_eq!((record.outcome, record.reward), (Outcome::Pass, Some(1)), "{}", record.message);
    let bench = Bench::submitted("returns-at-once", Base::Solution(FIRST));
    let Some(place) = Place::new(CONTAINER, bench) else { return };
    place.speedgate(&args).assert().code(0);
    let record = place.bench.verdict();
    assert_eq!((record.outcome, record.reward), (Outcome::WrongOutput, Some(0)));
}

/// An ordinary user practises and checks; a workspace is graded only for somebody who trusts it.
#[test]
fn an_ordinary_user_practises_and_does_not_grade() {
    let _turn = alone();
    let Some(place) = Place::new(USER, Bench::with(Base::Solution(FIRST))) else { return };
    for command in ["check", "practice"] {
        let args = [command, "toy", "--step", "01", "--workspace", "my", "--json"];
        let done = place.speedgate(&args).assert().code(0);
        let record = support::record(&done.get_output().stdout);
        assert_eq!(record.outcome, Outcome::Pass, "{command}: {}", record.message);
    }
    let args = ["grade", "toy", "--step", FIRST, "--workspace", "my", "--out", "out"];
    let refused = place.speedgate(&args).assert().code(2);
    let said = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(said.contains("--trust-workspace"), "{said}");
    place.bench.only_zeros();
}
