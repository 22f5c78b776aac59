//! `zenbench --group=NAME. …`: zenbench's own command line. A second for the pair, however precise
//! it is before. The dot tells `fnv` from `fnv64`: a filter may match any part of a name.

use std::time::Duration;

use peers::{PAIRS, run};
use zenbench::Suite;

fn pairs(suite: &mut Suite) {
    for &(name, a, b) in PAIRS {
        suite.group(format!("{name}."), |group| {
            group.config().max_time(Duration::from_secs(1)).max_rounds(10_000);
            group.config().auto_rounds(false);
            group.bench("a", move |bencher| bencher.iter(|| run(a)));
            group.bench("b", move |bencher| bencher.iter(|| run(b)));
        });
    }
}

zenbench::main!(pairs);
