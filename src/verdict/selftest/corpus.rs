//! The planted submissions: a small task, and what replaces one of its functions. All of it is part of
//! the program, so that it can be put to the test wherever it is installed.

use std::fs;
use std::io;
use std::path::Path;

use speedgate_harness::abi;

use crate::report::record::Outcome;

/// One submission.
#[derive(Debug, Clone, Copy)]
pub struct Planted {
    /// Its name.
    pub name: &'static str,
    /// The function that it replaces.
    pub function: &'static str,
    /// What the gate must find.
    pub outcome: Outcome,
    /// What the gate's message must hold.
    pub says: &'static str,
    /// Lines before the source.
    defines: &'static str,
    source: &'static str,
}

const MANIFEST: &str = include_str!("corpus/task.toml");
const HEADER: &str = include_str!("corpus/include/planted.h");

/// The task's own code.
const GEN: [(&str, &str); 2] = [
    ("brackets.c", include_str!("corpus/gen/brackets.c")),
    ("smooth_exact.c", include_str!("corpus/gen/smooth_exact.c")),
];

const PRISTINE: &str = include_str!("corpus/src/planted.c");

/// Writes the task into a folder, which is made.
pub fn write_task(dir: &Path) -> io::Result<()> {
    fs::create_dir_all(dir.join("include"))?;
    fs::create_dir_all(dir.join("src"))?;
    fs::create_dir_all(dir.join("gen"))?;
    for (name, text) in GEN {
        fs::write(dir.join("gen").join(name), text)?;
    }
    fs::write(dir.join("task.toml"), MANIFEST)?;
    fs::write(dir.join("include/planted.h"), HEADER)?;
    fs::write(dir.join("src/planted.c"), PRISTINE)
}

/// Writes a submission's workspace into a folder, which is made.
pub fn write_workspace(dir: &Path, planted: &Planted) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    fs::write(dir.join("planted.c"), PRISTINE)?;
    let text = format!("{}#line 1\n{}", planted.defines, planted.source);
    fs::write(dir.join("own.c"), text)
}

/// Lists submissions: `name: function, file, [NAME = replacement, …] => outcome, message;`.
macro_rules! planted {
    ($folder:literal: $($name:literal: $function:literal, $file:literal,
        [$($define:literal = $value:literal),*] => $outcome:ident, $says:literal;)*) => {
        vec![$(Planted {
            name: $name,
            function: $function,
            outcome: Outcome::$outcome,
            says: $says,
            defines: concat!($("#define ", $define, " ", $value, "\n"),*),
            source: include_str!(concat!("corpus/", $folder, "/", $file, ".c")),
        }),*]
    };
}

/// The defects that hold on this processor.
pub fn defects() -> Vec<Planted> {
    let mut all = planted! { "defects":
        "reads 1 byte after": "add", "over-read-add", ["AT" = "n"]
            => MemoryViolation, "byte 0 after the end of `a`";
        "reads 3 bytes after": "add", "over-read-add", ["AT" = "n + 2"]
            => MemoryViolation, "byte 2 after the end of `a`";
        "reads 15 bytes after": "add", "over-read-add", ["AT" = "n + 14"]
            => MemoryViolation, "byte 14 after the end of `a`";
        "reads 31 bytes after": "add", "over-read-add", ["AT" = "n + 30"]
            => MemoryViolation, "byte 30 after the end of `a`";
        "reads 63 bytes after": "add", "over-read-add", ["AT" = "n + 62"]
            => MemoryViolation, "byte 62 after the end of `a`";
        "reads 1 byte before": "add", "over-read-add", ["AT" = "-1"]
            => MemoryViolation, "1 bytes before the start of `a`";
        "reads 3 bytes before": "add", "over-read-add", ["AT" = "-3"]
            => MemoryViolation, "3 bytes before the start of `a`";
        "reads 15 bytes before": "add", "over-read-add", ["AT" = "-15"]
            => MemoryViolation, "15 bytes before the start of `a`";
        "reads 31 bytes before": "add", "over-read-add", ["AT" = "-31"]
            => MemoryViolation, "31 bytes before the start of `a`";
        "reads 63 bytes before": "add", "over-read-add", ["AT" = "-63"]
            => MemoryViolation, "63 bytes before the start of `a`";
        "reads the rest of the last row": "flip", "flip-rows",
            ["EXTRA" = "(void)*(const volatile uint8_t *)(src + src_stride - 1);"]
            => MemoryViolation, "after the end of `src`";
        "writes 1 byte after": "add", "over-write-add", ["AT" = "n", "ALWAYS" = "1"]
            => MemoryViolation, "`out`";
        "writes 1 byte before": "add", "over-write-add", ["AT" = "-1", "ALWAYS" = "1"]
            => MemoryViolation, "`out`";
        "writes after, where that is no fault": "add", "over-write-add",
            ["AT" = "n", "ALWAYS" = "0"] => MemoryViolation, "wrote outside `out`, at byte";
        "writes before, where that is no fault": "add", "over-write-add",
            ["AT" = "-1", "ALWAYS" = "0"] => MemoryViolation, "wrote outside `out`, at byte -1";
        "writes beyond its room": "pack", "over-write-pack", []
            => MemoryViolation, "wrote outside `out`";
        "reads after the end only for length 193": "add", "over-read-add",
            ["AT" = "(n == 193 ? n : 0)"] => MemoryViolation, "byte 0 after the end of `a`";
        "reads before the start only for length 193": "add", "over-read-add",
            ["AT" = "(n == 193 ? -1 : 0)"] => MemoryViolation, "1 bytes before the start of `a`";
        "writes above the plane": "flip", "flip-rows",
            ["EXTRA" = "if (y == 0) dst[-(ptrdiff_t)dst_stride] ^= 1;"]
            => MemoryViolation, "`dst`";
        "writes below the plane": "flip", "flip-rows",
            ["EXTRA" = "if (y + 1 == h) dst[dst_stride] ^= 1;"] => MemoryViolation, "`dst`";
        "writes left of the plane": "flip", "flip-rows",
            ["EXTRA" = "if (y == 0 && w > 40) dst[-1] ^= 1;"] => MemoryViolation, "`dst`";
        "writes between rows": "flip", "flip-rows",
            ["EXTRA" = "if (dst_stride > (size_t)w && y + 1 < h) dst[w] = 0;"]
            => MemoryViolation, "wrote where `dst` must stay untouched";
        "writes the rest of the last row": "flip", "flip-rows",
            ["EXTRA" = "for (size_t x = w; x < dst_stride; x++) dst[x] ^= 1;"]
            => MemoryViolation, "`dst`";
        "changes an input and puts it back": "add", "input-add", []
            => MemoryViolation, "of `a`, which is read-only";
        "changes an input where it can be written": "sum", "input-sum", []
            => MemoryViolation, "input `x` was changed";

        "32-bit length taken as 64": "add", "wide-add", ["WIDE" = "uint64_t"]
            => MemoryViolation, "after the end of";
        "32-bit length taken as 64, signed": "add", "wide-add", ["WIDE" = "int64_t"]
            => WrongOutput, "`out` differs from the reference at byte 0";
        "32-bit argument on the stack taken as 64": "mix", "wide-mix",
            ["A" = "int8_t", "E" = "int32_t", "H" = "uint64_t"] => WrongOutput, "returned";
        "signed argument taken as unsigned": "mix", "wide-mix",
            ["A" = "uint8_t", "E" = "int32_t", "H" = "uint32_t"] => WrongOutput, "returned";
        "wider argument cut": "mix", "wide-mix",
            ["A" = "int8_t", "E" = "int16_t", "H" = "uint32_t"] => WrongOutput, "returned";

        "the library calls a copy of its own": "sum", "own-copy-checksum", ["CALL" = "return copy(x, n)"]
            => NotReached, "`checksum` never executed `planted_sum`";
        "the library calls it only where nothing is": "sum", "own-copy-checksum",
            ["CALL" = "return n > 1000 ? planted_sum(x, n) : copy(x, n)"]
            => NotReached, "`checksum` never executed `planted_sum`";

        "wrong only at length 2^7 + 1": "add", "wrong-add", ["WRONG" = "n == 129 && i == 77"]
            => WrongOutput, "`out` differs from the reference at byte 77";
        "wrong only at length 2^8": "add", "wrong-add", ["WRONG" = "n == 256 && i == 255"]
            => WrongOutput, "`out` differs from the reference at byte 255";
        "wrong only at length 193": "add", "wrong-add", ["WRONG" = "n == 193 && i == 0"]
            => WrongOutput, "`out` differs from the reference at byte 0";
        "wrong only at 48 modulo 64": "add", "wrong-add",
            ["WRONG" = "((uintptr_t)out & 63) == 48 && (n & 15) != 0 && i == 0"]
            => WrongOutput, "`out` differs from the reference at byte 0";
        "wrong only where all are unaligned": "add", "wrong-add",
            ["WRONG" = "((uintptr_t)a & 7) && ((uintptr_t)b & 7) && ((uintptr_t)out & 7) && n % 8 == 0 && i == 0"]
            => WrongOutput, "`out` differs from the reference at byte 0";
        "wrong in place": "steps", "in-place-steps", []
            => WrongOutput, "`y` differs from the reference";
        "wrong only in place": "steps", "wrong-steps", ["WRONG" = "x == y && i == 64"]
            => WrongOutput, "`y` differs from the reference at byte 64";
        "wrong in the tail": "add", "wrong-add", ["WRONG" = "n % 32 == 31 && i == n - 1"]
            => WrongOutput, "`out` differs";
        "wrong only for unaligned output": "add", "wrong-add",
            ["WRONG" = "((uintptr_t)out & 15) != 0 && i == 0"]
            => WrongOutput, "`out` differs from the reference at byte 0";
        "wrong only where inputs lie apart": "add", "wrong-add",
            ["WRONG" = "(((uintptr_t)a ^ (uintptr_t)b) & 4095) != 0 && i == 0"]
            => WrongOutput, "`out` differs from the reference at byte 0";
        "wrong only on the second call": "add", "wrong-add", ["WRONG" = "calls == 2 && i == 0"]
            => WrongOutput, "`out` differs from the reference at byte 0";
        "wrong only after many calls": "add", "wrong-add", ["WRONG" = "calls == 300 && i == 0"]
            => WrongOutput, "`out` differs from the reference at byte 0";
        "wrong after another function": "add", "after-sum-add", []
            => WrongOutput, "`out` differs from the reference at byte 0";
        "wrong the second time on the same input": "add", "same-input-add", []
            => WrongOutput, "`out` differs from the reference at byte";
        "wrong when an input comes again later": "add", "input-again-add", []
            => WrongOutput, "`out` differs from the reference at byte 7";
        "wrong after an invalid input": "digits", "after-error-digits", []
            => WrongOutput, "`end` differs";
        "right only where it lies by luck": "add", "by-place-add", []
            => WrongOutput, "`out` differs from the reference at byte 0";
        "prepared for the first length": "add", "first-call-add", []
            => WrongOutput, "`out` differs from the reference at byte";
        "wraps instead of saturating": "add", "wrong-add",
            ["WRONG" = "(a[i] + b[i] == 256)"] => WrongOutput, "`out` differs";
        "wrong for 1 of 65536 values": "map", "wrong-map", ["WRONG" = "x[i] == 0xBEEF"]
            => WrongOutput, "`y` differs from the reference at byte";
        "rounds": "map", "wrong-map", ["WRONG" = "(x[i] * 40503u >> 15 & 1) && x[i] > 65000"]
            => WrongOutput, "`y` differs";
        "stale output": "add", "stale-add", [] => WrongOutput, "`out` differs";
        "skips the last element": "add", "old-content-add",
            ["WRITE" = "if (i + 1 < n) out[i] = right"] => WrongOutput, "`out` differs";
        "skips every 64th element": "add", "old-content-add",
            ["WRITE" = "if (i % 64 != 63) out[i] = right"]
            => WrongOutput, "`out` differs from the reference at byte 63";
        "depends on old content": "add", "old-content-add",
            ["WRITE" = "out[i] = right | (out[i] & 1)"] => WrongOutput, "`out` differs";
        "wrong at length 0": "sum", "wrong-sum",
            ["TYPE" = "uint32_t", "FROM" = "(n == 0 ? sum++ : 0)", "CUT" = "0"]
            => WrongOutput, "returned 1";
        "sums in 16 bits": "sum", "wrong-sum", ["TYPE" = "uint16_t", "FROM" = "0", "CUT" = "0"]
            => WrongOutput, "returned";
        "forgets the last of long inputs": "sum", "wrong-sum",
            ["TYPE" = "uint32_t", "FROM" = "0", "CUT" = "(n > 511)"] => WrongOutput, "returned";
        "right values, wrong end": "digits", "wrong-digits",
            ["FIRST" = "'0'", "COUNT" = "i", "PLACE" = "i + (i < n && i > 2)"]
            => WrongOutput, "`end` differs";
        "right values, wrong number": "digits", "wrong-digits",
            ["FIRST" = "'0'", "COUNT" = "n == 31 ? i + 1 : i", "PLACE" = "i"]
            => WrongOutput, "returned";
        "takes what is no digit": "digits", "wrong-digits",
            ["FIRST" = "'/'", "COUNT" = "i", "PLACE" = "i"] => WrongOutput, "differs";
        "forgets the link between blocks": "chain", "wrong-chain", ["LINKED" = "i % 8 != 0"]
            => WrongOutput, "`x` differs from the reference at byte 8";
        "NaN where the reference gives 0": "halve", "wrong-halve",
            ["VALUE" = "isnan(x[i]) ? x[i] : isinf(x[i]) ? 0 : x[i] * 0.5f"]
            => WrongOutput, "`y` differs";
        "infinity where the reference gives 0": "halve", "wrong-halve",
            ["VALUE" = "isnan(x[i]) ? 0 : x[i] * 0.5f"] => WrongOutput, "`y` differs";
        "loses the sign of zero": "halve", "wrong-halve",
            ["VALUE" = "isfinite(x[i]) ? x[i] * 0.5f + 0.0f : 0"] => WrongOutput, "`y` differs";
        "flushes subnormals": "halve", "wrong-halve",
            ["VALUE" = "isfinite(x[i]) ? (fabsf(x[i]) < FLT_MIN ? copysignf(0, x[i]) : x[i] * 0.5f) : 0"]
            => WrongOutput, "`y` differs";
        "another NaN": "squash", "wrong-squash", ["VALUE" = "isnan(x[i]) ? NAN : right"]
            => WrongOutput, "instead of NaN (0x";
        "a number for NaN, with a tolerance": "squash", "wrong-squash",
            ["VALUE" = "isnan(x[i]) ? 0 : right"] => WrongOutput, "0e0 instead of NaN";
        "a number for infinity over infinity": "squash", "wrong-squash",
            ["VALUE" = "isinf(x[i]) ? copysignf(1, x[i]) : right"] => WrongOutput, "instead of NaN";
        "loses the sign of zero, with a tolerance": "squash", "wrong-squash",
            ["VALUE" = "right + 0.0f"] => WrongOutput, "0e0 instead of -0e0";
        "flushes subnormals, with a tolerance": "squash", "wrong-squash",
            ["VALUE" = "fabsf(right) < FLT_MIN ? copysignf(0, right) : right"]
            => WrongOutput, "ULP apart";
        "off by some units in the last place": "squash", "wrong-squash",
            ["VALUE" = "right * (1 + 4 * FLT_EPSILON)"] => WrongOutput, "ULP apart";
        "drops a product now and then": "dot", "wrong-dot",
            ["VALUE" = "sum - (n == 129 ? (double)x[128] * y[128] : 0)"] => WrongOutput, "returned";
        "sums with fewer digits": "dot", "wrong-dot",
            ["VALUE" = "(float)(int64_t)(sum * 1024) / 1024"] => WrongOutput, "ULP apart";
        "another residue": "residue", "wrong-residue",
            ["VALUE" = "right == 1000 ? 1001 : right"]
            => WrongOutput, "which is another residue modulo 3329";
        "a residue out of range": "residue", "wrong-residue",
            ["VALUE" = "right > 3000 ? right + 3329 : right"]
            => WrongOutput, "is not within -3329 to 3329";
        "knows inputs again by samples": "total", "sampling-cache", [] => WrongOutput, "returned";
        "counts depth in a byte": "depth", "shallow-depth", [] => WrongOutput, "returned";
        "less exact than the reference": "smooth", "wrong-smooth",
            ["VALUE" = "right * (1 + 3 * FLT_EPSILON)"] => WrongOutput, "against the exact value";
        "approximates by a series": "smooth", "wrong-smooth",
            ["VALUE" = "x[i] < 0.05f ? 1 - x[i] / 2 + x[i] * x[i] / 3 : right"]
            => WrongOutput, "the reference's largest";
        "ignores the stride": "flip", "wrong-flip", ["STRIDE" = "w", "FROM" = "w - 1 - x"]
            => WrongOutput, "(row 1, byte";
        "wrong in the fifth row": "flip", "wrong-flip",
            ["STRIDE" = "src_stride", "FROM" = "(y == 4 && x == 0 ? 0 : w - 1 - x)"]
            => WrongOutput, "(row 4, byte 0)";
        "keeps state between units": "tally", "history-tally", [] => WrongOutput, "returned";

        "follows a null pointer": "add", "ends-add", ["END" = "*(volatile int *)0 = 1"]
            => Crashed, "SIGSEGV";
        "aborts": "add", "ends-add", ["END" = "abort()"] => Crashed, "SIGABRT";
        "stops at an illegal instruction": "add", "ends-add", ["END" = "__builtin_trap()"]
            => Crashed, "SIG";
        "recurses without end": "add", "ends-add", ["END" = "out[0] = (uint8_t)deeper((char *)out)"]
            => Crashed, "SIGSEGV";
        "exits": "add", "ends-add", ["END" = "exit(0)"] => Exited, "exit code 0";
        "exits at once": "add", "ends-add", ["END" = "_exit(3)"] => Exited, "exit code 3";
        "stops itself": "add", "ends-add", ["END" = "raise(SIGSTOP)"] => Hung, "stopped itself";
        "loops without end": "add", "ends-add", ["END" = "for (volatile int go = 1; go;) ;"]
            => Hung, "no answer after";
        "allocates without end": "add", "ends-add",
            ["END" = "for (;;) { volatile char *more = malloc(4096); if (more) *more = 1; }"]
            => OutOfMemory, "the limit is 96 MiB";
    };
    if cfg!(target_arch = "x86_64") {
        all.extend(of_x86_64());
    }
    if abi::tells_upper_halves() {
        all.extend(planted! { "defects":
            "no vzeroupper": "add", "leaves-add", ["LEAVES" = "\"vpcmpeqd %%ymm0, %%ymm0, %%ymm0\""]
                => AbiViolation, "the upper halves of vector registers were left in use";
        });
    }
    all
}

/// Defects in machine code: violations of the System V ABI.
fn of_x86_64() -> Vec<Planted> {
    planted! { "defects":
        "does not restore rbx": "add", "naked-add",
            ["BODY" = "\"sub $8, %rsp\\n call add\\n add $8, %rsp\\n xor %ebx, %ebx\\n ret\""]
            => AbiViolation, "after `planted_add` returned, rbx was not restored";
        "does not restore rbp": "add", "naked-add",
            ["BODY" = "\"sub $8, %rsp\\n call add\\n add $8, %rsp\\n lea (%rsp), %rbp\\n ret\""]
            => AbiViolation, "rbp was not restored";
        "does not restore r12": "add", "naked-add",
            ["BODY" = "\"sub $8, %rsp\\n call add\\n add $8, %rsp\\n xor %r12d, %r12d\\n ret\""]
            => AbiViolation, "r12 was not restored";
        "cuts r14 to 32 bits": "add", "naked-add",
            ["BODY" = "\"sub $8, %rsp\\n call add\\n add $8, %rsp\\n mov %r14d, %r14d\\n ret\""]
            => AbiViolation, "r14 was not restored";
        "changes r15 now and then": "add", "naked-add",
            ["BODY" = "\"push %rcx\\n call add\\n pop %rcx\\n test $63, %cl\\n jnz 1f\\n inc %r15\\n 1: ret\""]
            => AbiViolation, "r15 was not restored";
        "does not restore r13 in the second call": "tally", "leaves-feed", []
            => AbiViolation, "after `planted_feed` returned, r13 was not restored";
        "leaves the direction flag set": "add", "leaves-add", ["LEAVES" = "\"std\""]
            => AbiViolation, "the direction flag was left set";
        "leaves subnormals flushed": "add", "leaves-add",
            ["LEAVES" = "\"pushq $0x9fc0\\n ldmxcsr (%%rsp)\\n pop %%rax\""]
            => AbiViolation, "the control bits of MXCSR were changed";
        "leaves x87 at single precision": "add", "leaves-add",
            ["LEAVES" = "\"pushq $0x7f\\n fldcw (%%rsp)\\n pop %%rax\""]
            => AbiViolation, "the x87 control word was changed";
        "no emms": "add", "leaves-add", ["LEAVES" = "\"pxor %%mm0, %%mm0\""]
            => AbiViolation, "x87 registers were left in use";
        "writes home space as on Windows": "add", "naked-add",
            ["BODY" = "\"mov %rdi, 8(%rsp)\\n mov %rsi, 16(%rsp)\\n mov %rdx, 24(%rsp)\\n jmp add\""]
            => AbiViolation, "the caller's part of the stack was written to";
        "pops its arguments": "add", "naked-add",
            ["BODY" = "\"sub $8, %rsp\\n call add\\n add $8, %rsp\\n ret $16\""]
            => AbiViolation, "the stack pointer was not restored";
    }
}

/// Odd but honest submissions.
pub fn honest() -> Vec<Planted> {
    planted! { "honest":
        "early return": "add", "early-return", [] => Pass, "";
        "fills its room": "pack", "fills-the-room", [] => Pass, "";
        "remembers its last answer": "add", "remembers-its-last-answer", [] => Pass, "";
        "in place from the end": "steps", "in-place-from-the-end", [] => Pass, "";
        "other order of sums": "sum", "other-order", [] => Pass, "";
        "large stack frame": "sum", "large-frame", [] => Pass, "";
        "own table, made at first call": "map", "own-table", [] => Pass, "";
        "own table, made at load": "map", "table-at-load", [] => Pass, "";
        "all registers": "sum", "all-registers", [] => Pass, "";
        "wide vectors": "add", "wide-vectors", [] => Pass, "";
        "aligned blocks around the input": "sum", "aligned-blocks", [] => Pass, "";
        "library calls": "flip", "library-calls", [] => Pass, "";
        "recursion": "sum", "recursion", [] => Pass, "";
        "names of libc": "map", "names-of-libc", [] => Pass, "";
        "scratch memory": "map", "scratch-memory", [] => Pass, "";
        "long double": "halve", "long-double", [] => Pass, "";
        "exception flags": "halve", "exception-flags", [] => Pass, "";
        "rounding put back": "halve", "rounding-put-back", [] => Pass, "";
        "reached by a jump": "sum", "reached-sum", ["HOW" = "return planted_sum(x, n)"] => Pass, "";
        "reached by another name": "sum", "reached-sum",
            ["CALLED" = "quick", "ALIAS" = "1", "HOW" = "return quick(x, n)"] => Pass, "";
        "reached through a table": "sum", "reached-sum",
            ["HOW" = "return chosen->sum(x, n)"] => Pass, "";
        "reached, and passes on": "sum", "dispatching-sum", [] => Pass, "";
        "backwards": "flip", "backwards", [] => Pass, "";
        "output as scratch": "flip", "output-as-scratch", [] => Pass, "";
        "writes its arguments": "mix", "writes-its-arguments", [] => Pass, "";
        "thread-local memory": "add", "thread-local", [] => Pass, "";
        "jumps within": "digits", "jumps-within", [] => Pass, "";
        "writes beyond what is used": "digits", "writes-beyond-used", [] => Pass, "";
        "chosen at run time": "chain", "chosen-at-run-time", [] => Pass, "";
        "in double, within the tolerance": "squash", "squash-in-double", [] => Pass, "";
        "other order of sums, within the tolerance": "dot", "dot-in-lanes", [] => Pass, "";
        "the other residue": "residue", "other-residue", [] => Pass, "";
        "the other bound first": "clamp", "other-bound-first", [] => Pass, "";
        "trusts that brackets close": "depth", "trusts-the-brackets", [] => Pass, "";
        "in double, held against exact values": "smooth", "smooth-in-double", [] => Pass, "";
        "state of its own kind": "tally", "state-of-its-own-kind", [] => Pass, "";
    }
}
