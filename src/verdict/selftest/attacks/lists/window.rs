//! Work outside of the window.

use super::{always, in_a_call};
use crate::verdict::selftest::attacks::corpus::{Attack, attack};

pub(super) fn all() -> Vec<Attack> {
    vec![
        attack!("22" "constructor", "c"/"constructor.c",
            "never returns from its constructor, and answers every ring" => [WrongOutput]),
        attack!("22" "ifunc", "c"/"ifunc.c",
            "never returns from its IFUNC resolver, and answers every ring" => [WrongOutput],
            x86 = true),
        attack!("22" "tls", "c"/"tls.cpp",
            "never returns from the initialiser of a thread-local object" => [WrongOutput]),
        attack!("24" "late-thread", "c"/"late-thread.c",
            "returns at once, has a thread finish the output" => [WrongOutput]),
        attack!("24" "forked-child", "c"/"forked-child.c",
            "returns at once, has a child with the same memory finish" => [WrongOutput]),
        attack!("25" "timer", "c"/"only-if.c",
            "has a timer's signal handler work between calls" => [WrongOutput],
            before = always!("has_a_timer()")),
        attack!("26" "sigsegv-lazy", "c"/"sigsegv-lazy.c",
            "computes its output when somebody looks at it and faults"
            => [Crashed, MemoryViolation, WrongOutput]),
        attack!("27" "userfaultfd-lazy", "c"/"kills.c",
            "has the kernel ask it for a page of output when it is looked at" => [ForbiddenSyscall],
            before = "#define ACT syscall(SYS_userfaultfd, 1)\n"),
        attack!("28" "remaps-the-output", "c"/"remaps-the-output.c",
            "maps memory of its own over the output" => [WrongOutput, MemoryViolation, Crashed]),
        attack!("29" "precompute", "c"/"precompute.c",
            "computes what lies in clear before the clock starts" => [TooSlow]),
        attack!("29" "precomputes-some", "c"/"precomputes-some.c",
            "does so with nine calls in twenty, which leaves the one in the middle honest" => [TooSlow],
            before = "#define SHARE 45\n"),
        attack!("30" "rewrites-at-exit", "c"/"rewrites-at-exit.c",
            "puts results in order from a destructor and an exit handler" => [WrongOutput]),
        attack!("31" "another-core", "c"/"only-if.c",
            "leaves its core, or takes a second one" => [WrongOutput],
            before = always!("(runs_elsewhere() || has_a_thread())")),
        attack!("46" "slow-warm-up", "c"/"slow-warm-up.c",
            "is slow at first, to be called less often" => [TooSlow]),
        attack!("64" "time-bomb", "c"/"time-bomb.c",
            "is honest for a fiftieth of a second after it was loaded" => [WrongOutput]),
        attack!("70" "loops-for-ever", "c"/"loops-for-ever.c",
            "never returns" => [Hung]),
        attack!("P12" "interrupted-at-will", "c"/"only-if.c",
            "has itself interrupted, so that slow calls are dropped" => [WrongOutput],
            before = in_a_call!("is_interrupted_at_will()")),
    ]
}
