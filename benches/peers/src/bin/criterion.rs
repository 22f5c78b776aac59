//! `criterion NAME_a|NAME_b …`: criterion's own command line.

use criterion::Criterion;
use peers::{PAIRS, run};

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    for &(name, a, b) in PAIRS {
        criterion.bench_function(&format!("{name}_a"), |bencher| bencher.iter(|| run(a)));
        criterion.bench_function(&format!("{name}_b"), |bencher| bencher.iter(|| run(b)));
    }
}
