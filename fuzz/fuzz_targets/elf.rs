//! Libraries and objects that no compiler made.
#![no_main]

use libfuzzer_sys::fuzz_target;
use speedgate::build::audit;
use speedgate::build::sheet::Sheet;
use speedgate::task::files::Files;

fuzz_target!(|bytes: &[u8]| {
    let _ = audit::audit(bytes, &["f".to_owned()]);
    let _ = Sheet::of(&Files([("0.o".to_owned(), bytes.to_vec())].into()), bytes);
    let _ = audit::sources(bytes, |path| path.is_relative());
});
