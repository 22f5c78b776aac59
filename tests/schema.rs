//! The published schema is the one that the code writes.

use std::fs;
use std::path::Path;

use speedgate::report::record;

/// With `UPDATE_SCHEMA` set it is written instead.
#[test]
fn the_committed_schema_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/result.schema.json");
    let current = record::json_schema();
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        fs::write(&path, &current).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap();
    assert!(
        committed == current,
        "docs/result.schema.json is out of date: UPDATE_SCHEMA=1 cargo test --test schema"
    );
}
