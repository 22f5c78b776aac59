//! `selftest` through the built binary.

mod support;

use serde_json::Value;
use support::{Bench, together};

/// Every planted defect is caught with the outcome and the message that it must have, and nobody
/// honest is accused.
#[test]
fn the_gate_catches_what_is_planted_and_accuses_nobody() {
    let _turn = together();
    let done = Bench::new().speedgate().args(["selftest", "gate", "--json"]).output().unwrap();
    let report: Value = serde_json::from_slice(&done.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&done.stderr)));
    let (defects, honest) = (findings(&report, "defects"), findings(&report, "honest"));
    for f in defects.iter().chain(honest) {
        assert_eq!(f["outcome"], f["expected"], "{f}");
        assert!(f["message"].as_str().unwrap().contains(f["says"].as_str().unwrap()), "{f}");
    }
    assert!(defects.len() >= 40 && defects.iter().all(|f| f["expected"] != "pass"));
    assert!(honest.len() >= 15 && honest.iter().all(|f| f["expected"] == "pass"));
    assert_eq!(report["caught"], defects.len());
    assert_eq!(report["accused"], 0);
    assert!(done.status.success());
}

fn findings<'a>(report: &'a Value, which: &str) -> &'a Vec<Value> {
    report[which].as_array().unwrap()
}
