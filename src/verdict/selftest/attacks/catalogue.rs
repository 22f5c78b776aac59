//! The catalogue: every way of getting the reward without the work that was ever seen or thought of,
//! in one list, each with its attacks or with the reason why there is none.

/// A row.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Its number; those of the stopwatch begin with `P`.
    pub id: &'static str,
    /// The way.
    pub what: &'static str,
    /// What there is against it.
    pub stands: Stands,
}

/// Where a row stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stands {
    /// It has attacks, all of which must be stopped.
    Attacked,
    /// It is no matter of a workspace: shown where the text says.
    Elsewhere(&'static str),
    /// It pays, in whole or in part, for the reason that the text says.
    Open(&'static str),
}

use Stands::{Attacked, Elsewhere, Open};

impl Row {
    /// All of them, in order.
    pub fn all() -> Vec<Row> {
        let row =
            |&(id, what, stands): &(&'static str, &'static str, Stands)| Row { id, what, stands };
        [BYTES, WINDOW, WORKER, NEIGHBOUR, BUILD, HOST, STOPWATCH]
            .iter()
            .flat_map(|p| p.iter())
            .map(row)
            .collect()
    }
}

type Part = &'static [(&'static str, &'static str, Stands)];

/// The right bytes without the work.
const BYTES: Part = &[
    ("1", "answers remembered by content", Attacked),
    ("2", "answers remembered by address", Attacked),
    ("3", "answers remembered by a cheap fingerprint", Attacked),
    ("4", "only what changed is computed again", Attacked),
    ("5", "answers kept in files, shared memory, keyrings", Attacked),
    ("6", "all calls done in the first", Attacked),
    ("7", "the last output left in place", Attacked),
    ("8", "the answer found in memory that was given back", Attacked),
    ("9", "the expected outputs read", Attacked),
    ("10", "the expected outputs destroyed", Attacked),
    ("11", "the inputs predicted from their seed", Attacked),
    ("12", "the input changed so that the answer is easy", Attacked),
    ("13", "the reference, a tool or a library called", Attacked),
    ("14", "only the timed sizes worked for", Attacked),
    ("15", "checks told from timed calls", Attacked),
    ("16", "less precision than asked for", Attacked),
    ("17", "rare work skipped", Attacked),
    ("18", "a distribution of inputs assumed", Attacked),
    ("19", "giant tables", Attacked),
    ("20", "reads beyond a buffer", Attacked),
    ("21", "writes beyond a buffer", Attacked),
];

/// Work outside of the window.
const WINDOW: Part = &[
    ("22", "work in constructors, resolvers, initialisers", Attacked),
    (
        "23",
        "tables made in the first call",
        Open(
            "a first call is not timed: what a table holds is free, within memory_mb and the bound of one call",
        ),
    ),
    ("24", "a thread or a child finishes later", Attacked),
    ("25", "a timer or a signal handler works between calls", Attacked),
    ("26", "output computed when a fault asks for it", Attacked),
    ("27", "output computed when the kernel asks for a page", Attacked),
    ("28", "other memory mapped over the output", Attacked),
    ("29", "work between requests", Attacked),
    ("30", "results rewritten at exit", Attacked),
    ("31", "another core", Attacked),
];

/// Forged times and verdicts, inside the worker.
const WORKER: Part = &[
    ("32", "the kernel's clock overwritten", Attacked),
    ("33", "libc's pointer to it exchanged", Attacked),
    ("34", "tables of addresses patched, names of libc taken", Attacked),
    ("35", "the driver's code overwritten", Attacked),
    ("36", "memory written through /proc, ptrace, process_vm_writev", Attacked),
    ("37", "a system call filter of one's own", Attacked),
    ("38", "results written to every descriptor", Attacked),
    ("39", "a key or a secret stolen", Attacked),
    ("40", "the processor's clock made to fault", Attacked),
    ("41", "the call stub left or overwritten", Attacked),
    ("42", "the process ended as if all were done", Attacked),
    (
        "43",
        "the summing-up patched",
        Elsewhere(
            "a worker holds no time and no sum; the statistics run where no graded code is mapped",
        ),
    ),
    ("44", "a time of nothing, or less", Attacked),
    ("45", "fast now and then, where the best of many counts", Attacked),
    ("46", "slow at first, where that makes calls fewer", Attacked),
    ("47", "garbage, lengths and holes in shared memory", Attacked),
];

/// A slower reference, or a better place for oneself.
const NEIGHBOUR: Part = &[
    ("48", "load and dirty caches while the reference runs", Attacked),
    ("49", "the quota of processor time used up", Attacked),
    ("50", "heat and a lower frequency left behind", Attacked),
    ("51", "a dirty state of the processor left behind", Attacked),
    ("52a", "a variable shared with the reference", Attacked),
    ("52b", "pages, huge pages, fragmentation", Attacked),
    ("52c", "priorities, limits, locks, folders", Attacked),
    ("52d", "an earlier step's function broken", Attacked),
];

/// What is done to, or by, the build.
const BUILD: Part = &[
    ("53", "build scripts", Attacked),
    ("54", "a compiler of one's own", Attacked),
    ("55", "options in sources and names", Attacked),
    ("56", "flags and profiles in files", Attacked),
    ("57", "binaries in the tree or in the source", Attacked),
    (
        "58",
        "upstream's kernels copied",
        Open("a copied kernel is right and fast: whether that is cheating is the task's policy"),
    ),
    ("59", "a name of the contract that leads elsewhere inside", Attacked),
    ("60", "code that can be written, or is moved, at run time", Attacked),
    ("61", "links, pipes, devices, huge trees", Attacked),
    ("62", "sources that keep a compiler busy for ever", Attacked),
    (
        "63",
        "the library exchanged after it was audited",
        Elsewhere(
            "nothing of a workspace runs while it is built; tests exchange the file (`worker::arena`)",
        ),
    ),
    ("64", "another library, or another behaviour, at another time", Attacked),
];

/// Against the grader and its machine.
const HOST: Part = &[
    ("65", "the reward written from inside", Attacked),
    (
        "66",
        "the reward planted beforehand: file, link, pipe",
        Elsewhere("no workspace is near it; `tests/reward.rs` plants all of them"),
    ),
    ("67", "the grader crashed or stalled", Attacked),
    ("68", "the grader killed, traced or outlived", Attacked),
    ("69", "bombs of processes, threads, memory, files, output", Attacked),
    ("70", "calls that never return", Attacked),
    ("71", "the network", Attacked),
    ("72", "the kernel's large surfaces", Attacked),
    ("73", "something learned from one run for the next", Attacked),
    ("74", "words for the reader of logs", Attacked),
    (
        "75",
        "an environment in which walls are missing",
        Elsewhere(
            "every run tries all forbidden acts first, and its report says what is not proven (`sandbox::card`)",
        ),
    ),
];

/// Against the stopwatch itself.
const STOPWATCH: Part = &[
    (
        "P1",
        "inputs computed on before go; answers left instead of poison",
        Elsewhere("attack `precompute` of row 29"),
    ),
    ("P2", "the bell rung before it is asked for", Attacked),
    ("P3", "the bell rung before the work is done", Attacked),
    (
        "P4",
        "a burst of independent calls computed as one",
        Open(
            "where a profile says `independent`, up to 16 calls have one key: that throughput counts is what it says",
        ),
    ),
    ("P5", "outputs written after the bell", Attacked),
    ("P6", "the reference slowed by what a visit leaves behind", Elsewhere("rows 48 to 52b")),
    (
        "P7",
        "a worker that does not stop",
        Elsewhere("attack `leftover-load` of row 48; SIGSTOP can't be refused"),
    ),
    (
        "P8",
        "set-up that computes ahead",
        Elsewhere(
            "`tests/states.rs`: `make` sees no input of the call, and who takes long for it is over its budget",
        ),
    ),
    (
        "P9",
        "huge pages, and the next input fetched ahead",
        Elsewhere("attacks `huge-pages` of row 52b, `unseals-faster` of P10"),
    ),
    ("P10", "a better driver than ours", Attacked),
    ("P11", "half of the inputs slow", Attacked),
    ("P12", "slow calls thrown away as disturbed", Attacked),
    (
        "P13",
        "an error provoked, for another try",
        Elsewhere("attacks `answers-nonsense` and `claims-a-failed-load` of row 47"),
    ),
    (
        "P14",
        "other outputs found that have the digest committed to",
        Elsewhere(
            "a test does so with the quick digest; functions of which several outputs are right have BLAKE3's (`seal::aes`)",
        ),
    ),
    (
        "P15",
        "data placed where it suits: aligned, in few pages, in near caches",
        Open(
            "where a call finds its data is the driver's work, and an attacker's own driver puts them where he likes: he saves what misalignment costs, and all of a profile's `cache`",
        ),
    ),
];
