//! Sources, as the search for pragmas and the measure of reuse see them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use speedgate::build::{reuse, tamper};
use speedgate::task::files::Files;

fuzz_target!(|input: (&[u8], &[u8])| {
    let (text, other) = input;
    let _ = tamper::preprocessed(text);
    let _ = tamper::listed(text);
    let tree = |text: &[u8]| Files([("a.c".to_owned(), text.to_vec())].into());
    let found = reuse::measure(&tree(text), &tree(other), &tree(text));
    assert_eq!(found.anywhere, found.lines, "every line of a copy stands in its original");
    assert!(found.alike <= found.tokens);
});
