//! Expressions of a manifest, parsed and computed with hostile values.
#![no_main]

use libfuzzer_sys::fuzz_target;
use speedgate::task::expression::{Expr, Scope};

struct Values([i64; 3]);

impl Scope for Values {
    fn name(&self, name: &str) -> Option<i64> {
        (name.len() < 9).then_some(self.0[0])
    }

    fn ret(&self) -> Option<i64> {
        Some(self.0[1])
    }

    fn deref(&self, _: &str) -> Option<i64> {
        Some(self.0[2])
    }
}

fuzz_target!(|input: ([i64; 3], &str)| {
    let (values, text) = input;
    let Ok(expr) = Expr::parse(text) else { return };
    assert!(expr.names().count() <= expr.reads().len());
    for values in [values, [i64::MIN; 3], [i64::MAX; 3], [0; 3], [-1; 3]] {
        let _ = expr.eval(&Values(values));
    }
});
