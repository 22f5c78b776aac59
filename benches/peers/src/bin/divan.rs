//! `divan NAME_a …`: divan's own command line.

use divan::Bencher;
use peers::{Call, PAIRS, run};

fn main() {
    divan::main();
}

fn names() -> impl Iterator<Item = String> {
    PAIRS.iter().flat_map(|(name, ..)| [format!("{name}_a"), format!("{name}_b")])
}

fn call(wanted: &str) -> Call {
    let (name, side) = wanted.rsplit_once('_').expect("a name and a side");
    let &(_, a, b) = PAIRS.iter().find(|pair| pair.0 == name).expect("a pair");
    if side == "a" { a } else { b }
}

#[divan::bench(args = names())]
fn pair(bencher: Bencher, name: &str) {
    let call = call(name);
    bencher.bench_local(|| run(call));
}
