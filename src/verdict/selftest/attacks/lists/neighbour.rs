//! A slower reference, or a better place for oneself.

use super::{always, in_a_call};
use crate::verdict::selftest::attacks::corpus::{Attack, attack};

pub(super) fn all() -> Vec<Attack> {
    vec![
        attack!("48" "leftover-load", "c"/"only-if.c",
            "starts something that goes on while the reference is timed" => [WrongOutput],
            before = always!("(has_a_child() || has_a_thread())")),
        attack!("48" "dirty-caches", "c"/"idles-between.c",
            "fills all caches with lines that must be written back before the reference runs"
            => [TooSlow], before = "#define CACHES\n"),
        attack!("49" "burns-the-quota", "c"/"idles-between.c",
            "uses up processor time while it is not timed" => [TooSlow],
            before = "#define QUOTA\n"),
        attack!("50" "heats-the-core", "c"/"idles-between.c",
            "runs the widest vector units before the reference does" => [TooSlow],
            before = "#define VECTORS\n", x86 = true),
        attack!("51" "leaves-small-numbers-flushed", "c"/"leaves-behind.c",
            "returns with subnormal numbers taken for zero" => [AbiViolation],
            before = "#define STATE \"pushq $0x9fc0\\n ldmxcsr (%%rsp)\\n pop %%rax\"\n", x86 = true),
        attack!("51" "leaves-the-direction", "c"/"leaves-behind.c",
            "returns with string instructions running backwards" => [AbiViolation],
            before = "#define STATE \"std\"\n", x86 = true),
        attack!("51" "dirty-vector-state", "c"/"leaves-behind.c",
            "returns with the upper halves of vector registers in use" => [AbiViolation, TooSlow],
            before = "#define STATE \"vpcmpeqd %%ymm7, %%ymm7, %%ymm7\"\n", x86 = true),
        attack!("51" "ftz-at-load", "c"/"ftz-at-load.c",
            "has subnormal numbers taken for zero from its constructor on, as -Ofast does"
            => [WrongOutput, AbiViolation], x86 = true),
        attack!("52a" "unique-symbol", "c"/"unique-symbol.cpp",
            "defines variables of which a process has but one" => [TooSlow, AuditRejected]),
        attack!("52b" "churns-memory", "c"/"idles-between.c",
            "takes and gives back pages before the reference runs" => [TooSlow],
            before = "#define MEMORY\n"),
        attack!("52b" "huge-pages", "c"/"only-if.c",
            "gets larger pages than the other side has" => [WrongOutput],
            before = in_a_call!("has_huge_pages()")),
        attack!("52c" "outranks-the-others", "c"/"only-if.c",
            "changes priorities, limits, folders" => [WrongOutput],
            before = always!("outranks_the_others()")),
        attack!("52d" "earlier-step", "c"/"earlier-step.c",
            "breaks a function of an earlier step" => [WrongOutput]),
    ]
}
