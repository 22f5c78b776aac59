//! Against the grader and its machine.

use super::{always, in_a_call};
use crate::verdict::selftest::attacks::corpus::{Attack, attack};

pub(super) fn all() -> Vec<Attack> {
    vec![
        attack!("65" "writes-the-reward", "c"/"only-if.c",
            "writes, replaces or removes reward files" => [WrongOutput],
            before = always!("writes_the_reward()")),
        attack!("69" "fork-bomb", "c"/"only-if.c",
            "makes processes" => [WrongOutput, Exited], before = always!("has_a_child()")),
        attack!("69" "thread-bomb", "c"/"only-if.c",
            "makes threads" => [WrongOutput], before = always!("has_a_thread()")),
        attack!("69" "memory-bomb", "c"/"memory-bomb.c",
            "takes all memory" => [OutOfMemory]),
        attack!("69" "opens-many-files", "c"/"only-if.c",
            "uses up descriptors" => [WrongOutput], before = always!("opens_many_files()")),
        attack!("69" "floods-the-log", "c"/"floods-the-log.c",
            "prints without end" => [Hung]),
        attack!("71" "opens-a-socket", "c"/"only-if.c",
            "talks to somebody: sockets of six families, pipes" => [WrongOutput],
            before = always!("opens_a_socket()")),
        attack!("71" "io-uring", "c"/"kills.c",
            "asks through io_uring for what it may not ask for" => [ForbiddenSyscall],
            before = "#define ACT syscall(SYS_io_uring_setup, 8, remote)\n"),
        attack!("72" "bpf", "c"/"kills.c",
            "loads a program into the kernel" => [ForbiddenSyscall],
            before = "#define ACT syscall(SYS_bpf, 5, remote, 16)\n"),
        attack!("72" "perf", "c"/"kills.c",
            "opens a performance counter" => [ForbiddenSyscall],
            before = "#define ACT syscall(SYS_perf_event_open, remote, 0, -1, -1, 0)\n"),
        attack!("72" "new-namespace", "c"/"kills.c",
            "makes itself root in a namespace" => [ForbiddenSyscall],
            before = "#define ACT syscall(SYS_unshare, 0x10000000)\n"),
        attack!("72" "mounts", "c"/"kills.c",
            "mounts a file system" => [ForbiddenSyscall],
            before = "#define ACT syscall(SYS_mount, \"none\", \"/\", \"proc\", 0, 0)\n"),
        attack!("73" "remembers-between-runs", "c"/"only-if.c",
            "reads what an earlier run left behind" => [WrongOutput],
            before = in_a_call!("(opens(\"/tmp\", O_RDONLY) || leaves_a_note())")),
    ]
}
