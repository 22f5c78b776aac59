//! Files that may hold archives of archives.
#![no_main]

use libfuzzer_sys::fuzz_target;
use speedgate::build::blob;

fuzz_target!(|bytes: &[u8]| {
    let _ = blob::foreign(bytes);
});
