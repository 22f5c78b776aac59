//! `tango compare …`: tango's own command line; it runs itself twice, once for each side.

use peers::{PAIRS, run};
use tango_bench::{Benchmark, benchmark_fn, tango_benchmarks};

fn pairs() -> Vec<Benchmark> {
    let sides = PAIRS.iter().flat_map(|&(name, a, b)| [("a", name, a), ("b", name, b)]);
    sides
        .map(|(side, name, call)| {
            benchmark_fn(&*format!("{side}/{name}"), move |b| b.iter(move || run(call)))
        })
        .collect()
}

tango_benchmarks!(pairs());
