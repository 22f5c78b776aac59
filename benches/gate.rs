//! How many small cases a second the gate checks on one pair of cores, from making the inputs to
//! comparing the last byte, with the library's own code on both sides.
//!
//! `cargo bench --bench gate`, on a machine that does nothing else. On two virtual cores of a Xeon
//! that are one core to the processor: 147 000 (`add`, two inputs and an output of up to 300 bytes),
//! 133 000 (`digits`, an output whose length follows from the call) and 114 000 (`mix`, nine scalars
//! and an input).

use std::process::ExitCode;

use criterion::{Criterion, Throughput};
use speedgate::gate::Case;
use speedgate::verdict::selftest;

/// Cases that are run together. Each function's own plan, again and again.
const CASES: usize = 10_000;

fn gate(c: &mut Criterion) {
    let mut group = c.benchmark_group("gate");
    group.sample_size(10);
    for function in ["add", "digits", "mix"] {
        let done = selftest::pristine(function, |run, cases| {
            let many: Vec<Case> = cases.into_iter().cycle().take(CASES).collect();
            group.throughput(Throughput::Elements(CASES as u64));
            group.bench_function(function, |b| {
                b.iter(|| run(&many).expect("right answers"));
            });
        });
        done.expect("a machine that can build and run the planted task");
    }
    group.finish();
}

fn main() -> ExitCode {
    // The workers are this program, too.
    if let Some(code) = speedgate_harness::worker_entry() {
        return code;
    }
    let mut criterion = Criterion::default().configure_from_args();
    gate(&mut criterion);
    criterion.final_summary();
    ExitCode::SUCCESS
}
