//! Against the stopwatch itself.

use crate::verdict::selftest::attacks::corpus::{Attack, attack};

pub(super) fn all() -> Vec<Attack> {
    vec![
        attack!("P2" "rings-unasked", "c"/"rings-unasked.c",
            "rings before it is asked, with every nonce it can think of" => [TooSlow, Hung]),
        attack!("P3" "rings-early", "c"/"rings-early.c",
            "rings as soon as it is asked, and works then" => [WrongOutput]),
        attack!("P5" "writes-after-the-bell", "c"/"writes-after-the-bell.c",
            "writes the right bytes once the clock has stopped" => [WrongOutput]),
        attack!("P10" "unseals-faster", "c"/"unseals-faster.c",
            "has a better driver than ours: what is left over" => [TooSlow]),
        attack!("P10" "unseals-what-it-needs", "c"/"unseals-what-it-needs.c",
            "leaves sealed what the function does not read" => [WrongOutput]),
        attack!("P11" "half-slow", "c"/"one-in-twenty.c",
            "is fast on most inputs and ten times slower on the others" => [TooSlow],
            before = "#define SHARE 51\n#define TIMES 10\n"),
    ]
}
