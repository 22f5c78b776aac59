//! Whether times depend on secrets, a line a function.

use std::fmt::Write;

use super::record::{Function, Leak};

/// A line for each function that has secrets and was looked at.
pub fn render(functions: &[Function]) -> String {
    let mut out = String::new();
    for f in functions {
        if let Some(leak) = &f.leak {
            // Writing to a string can't fail.
            let _ = writeln!(out, "{}: {}", f.name, sentence(leak));
        }
    }
    out
}

fn sentence(l: &Leak) -> String {
    let numbers = format!(
        "|t| = {:.1} (bound {}), {:.2} ns, {} calls",
        l.t.abs(),
        l.bound,
        l.difference_ns.abs(),
        l.calls
    );
    let what = match (l.leaks, l.reference_leaks) {
        (false, _) => "no dependence of its time on secrets was seen",
        (true, Some(true)) => "its time depends on secrets, as the reference's does",
        (true, _) => "its time depends on secrets; the reference's does not",
    };
    let weight = if l.required { "part of the verdict" } else { "told only" };
    format!("{what}: {numbers}; {weight}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_is_told_with_its_weight() {
        let mut leak = Leak {
            t: -2.04,
            bound: 4.5,
            difference_ns: -0.3,
            calls: 48_000,
            leaks: false,
            reference_leaks: None,
            required: true,
        };
        assert_eq!(
            sentence(&leak),
            "no dependence of its time on secrets was seen: |t| = 2.0 (bound 4.5), 0.30 ns, 48000 \
             calls; part of the verdict"
        );
        (leak.leaks, leak.required, leak.reference_leaks) = (true, false, Some(true));
        let told = sentence(&leak);
        assert!(told.contains("as the reference's does") && told.ends_with("told only"), "{told}");
        leak.reference_leaks = Some(false);
        assert!(sentence(&leak).contains("the reference's does not"));
    }
}
