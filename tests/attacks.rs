//! `selftest attacks` through the built binary: everything that the clock has no say in, and some of
//! the rest. (`speedgate selftest attacks` runs all.)

mod support;

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use speedgate::verdict::selftest::attacks;
use support::{Bench, alone};

/// Of those that are right, and whose end the clock decides.
const TIMED: [&str; 4] = ["both-faster", "content-cache", "precompute", "takes-no-time"];

#[test]
fn attacks_are_stopped_nobody_honest_is_harmed_and_nothing_is_left_behind() {
    let _turn = alone();
    let bench = Bench::new();
    let all = attacks::names();
    let named = all.iter().filter(|(name, timed)| !timed || TIMED.contains(name));
    let mut command = Command::new(env!("CARGO_BIN_EXE_speedgate"));
    command.args(["selftest", "attacks", "--json"]).args(named.map(|(name, _)| name));
    command.env("SPEEDGATE_CACHE", bench.cache()).stdout(Stdio::piped());
    let child = command.spawn().unwrap();
    let supervisor = child.id();
    let done = child.wait_with_output().unwrap();
    let card: Value = serde_json::from_slice(&done.stdout).expect("a score card");
    for finding in card["findings"].as_array().unwrap() {
        assert_eq!(finding["right"], true, "{finding:#}");
        let ends = finding["ends"].as_array().unwrap();
        assert!(ends.contains(&finding["outcome"]), "{finding:#}");
    }
    assert_eq!((&card["attacks"], &card["harmed"]), (&card["stopped"], &0.into()));
    assert!(card["attacks"].as_u64().unwrap() > 60 && card["honest"].as_u64().unwrap() > 20);
    assert!(done.status.success());
    let left = groups_of(supervisor);
    assert!(left.is_empty(), "{left:?}");
    let left = support::cells(&bench.cache());
    assert!(left.is_empty(), "{left:?}");
}

/// Control groups of a run.
fn groups_of(supervisor: u32) -> Vec<PathBuf> {
    support::groups(&format!("speedgate-{supervisor}-"))
}
