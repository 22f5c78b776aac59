//! Functions that leave one thing in disorder each, and ones that only look as if.

use std::arch::global_asm;
use std::sync::Mutex;

use super::{Frame, violation};

/// One checked call at a time: the stub is for workers, which have one thread.
static TURN: Mutex<()> = Mutex::new(());

/// Calls `f(1, 2, ..)`: what it returned, and the words for what it left.
fn call(f: unsafe extern "C" fn(), arguments: u64) -> (u64, Option<&'static str>) {
    let _turn = TURN.lock().unwrap();
    let mut frame = Frame::new(f as *const () as usize);
    (0..arguments).for_each(|i| frame.set(i as usize, i + 1));
    // SAFETY: every function here takes no more than these integers; one thread at a time.
    let bits = unsafe { frame.call_checked() };
    (frame.ret[0], violation(bits))
}

macro_rules! planted {
    ($($name:ident => $words:expr, [$($line:literal),*];)*) => {
        $(global_asm!(concat!(stringify!($name), ":"), $($line,)* "ret");)*
        unsafe extern "C" {
            $(fn $name();)*
        }
        #[test]
        fn each_is_told_by_name() {
            for (name, f, words) in [$((stringify!($name), $name as unsafe extern "C" fn(), $words)),*] {
                let words: Option<&str> = words;
                for arguments in [0, 6, 8, 9, 11] {
                    let (_, found) = call(f, arguments);
                    assert_eq!(found.is_some(), words.is_some(), "{name}: {found:?}");
                    assert!(found.unwrap_or("").contains(words.unwrap_or("")), "{name}: {found:?}");
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
planted! {
    stub_clobbers_rbx => Some("rbx"), ["mov ebx, 1"];
    stub_clobbers_rbp => Some("rbp"), ["lea rbp, [rsp]"];
    stub_clobbers_r12 => Some("r12"), ["xor r12d, r12d"];
    stub_clobbers_r13 => Some("r13"), ["inc r13"];
    stub_clobbers_r14 => Some("r14"), ["mov r14, rdi"];
    stub_cuts_r15 => Some("r15"), ["mov r15d, r15d"];
    stub_pops_an_argument => Some("stack pointer"), ["pop r11", "pop r10", "jmp r11"];
    stub_writes_home_space => Some("caller's part"), ["mov [rsp + 56], rdi"];
    stub_sets_direction => Some("direction"), ["std"];
    stub_flushes_denormals => Some("MXCSR"), ["push 0x9FC0", "ldmxcsr [rsp]", "pop rax"];
    stub_rounds_to_zero => Some("x87 control"), ["push 0xF7F", "fldcw [rsp]", "pop rax"];
    stub_leaves_mmx => Some("emms"), ["pxor mm0, mm0"];

    stub_returns => None, [];
    stub_saves_and_restores => None, ["push rbx", "push r15", "mov ebx, 7", "mov r15, rbx", "pop r15", "pop rbx"];
    stub_uses_scratch => None, ["mov r8, -1", "mov r9, -1", "mov r10, -1", "mov r11, -1", "pxor xmm15, xmm15"];
    stub_writes_its_arguments => None, ["mov [rsp - 128], rdi", "mov [rsp - 8], rdi"];
    stub_goes_backwards_and_forwards => None, ["std", "cld"];
    stub_cleans_up => None, ["pxor mm0, mm0", "emms"];
    stub_divides_by_zero => None, ["pxor xmm0, xmm0", "divsd xmm0, xmm0"];
}

#[cfg(target_arch = "x86_64")]
global_asm!(
    "stub_leaves_upper:",
    "vpcmpeqd ymm7, ymm7, ymm7",
    "ret",
    "stub_clears_upper:",
    "vpcmpeqd ymm7, ymm7, ymm7",
    "vzeroupper",
    "ret",
);

#[cfg(target_arch = "x86_64")]
#[test]
fn upper_halves_in_use_are_told_where_the_processor_tells() {
    unsafe extern "C" {
        fn stub_leaves_upper();
        fn stub_clears_upper();
    }
    if !is_x86_feature_detected!("avx2") {
        eprintln!("skipped: no AVX2");
        return;
    }
    assert_eq!(call(stub_clears_upper, 0).1, None);
    if super::checked::upper_is_told() {
        assert!(call(stub_leaves_upper, 0).1.unwrap().contains("vzeroupper"));
        // It was put in order: the next one is not blamed.
        assert_eq!(call(stub_returns, 0).1, None);
    }
}

#[cfg(target_arch = "aarch64")]
planted! {
    stub_clobbers_x19 => Some("x19"), ["mov x19, #1"];
    stub_clobbers_x20 => Some("x20"), ["add x20, x20, #1"];
    stub_cuts_x28 => Some("x28"), ["mov w28, w28"];
    stub_clobbers_x29 => Some("x29"), ["mov x29, sp"];
    stub_clobbers_d8 => Some("d8"), ["fmov d8, xzr"];
    stub_clobbers_d15 => Some("d15"), ["movi v15.16b, #0"];
    stub_moves_the_stack => Some("stack pointer"), ["add sp, sp, #16"];
    stub_writes_above => Some("caller's part"), ["str xzr, [sp, #32]"];
    stub_flushes_denormals => Some("FPCR"), ["mov x9, #0x1000000", "msr fpcr, x9"];

    stub_returns => None, [];
    stub_saves_and_restores => None, ["stp x19, x20, [sp, #-16]!", "mov x19, #7", "mov x20, x19", "ldp x19, x20, [sp], #16"];
    stub_uses_scratch => None, ["mov x9, #-1", "mov x15, #-1", "mov x17, #-1", "movi v16.16b, #0"];
}

extern "C" fn weigh(a: u64, b: u64, c: u64, d: u64, e: u64, f: u64, g: u64, h: u64, i: u64) -> u64 {
    [a, b, c, d, e, f, g, h, i].iter().enumerate().map(|(k, v)| v * 10u64.pow(k as u32)).sum()
}

#[test]
fn checked_calls_pass_arguments_and_results_as_others_do() {
    // SAFETY: the same function; `call` passes nine integers.
    let f: unsafe extern "C" fn() = unsafe { std::mem::transmute(weigh as *const ()) };
    assert_eq!(call(f, 9), (987_654_321, None));
}
