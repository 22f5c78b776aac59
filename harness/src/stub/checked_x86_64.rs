//! The checking stub for x86-64: what the lean one does, and afterwards a look at everything that
//! the System V ABI says a callee must leave as it was.
//!
//! ```text
//!  home + 56  what the caller had in its six callee-saved registers
//!  home       frame, MXCSR and x87 control word before, room for both after
//!             canary: 8 words, 9 where an odd number of arguments needs padding
//!             arguments on the stack
//!             return address, which the call puts there
//!             512 bytes of poison: the red zone and what a callee may find below it
//! ```
//! `home` is kept in memory and not in a register: no register can be trusted to come back.

use std::arch::{asm, global_asm};
use std::mem::offset_of;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use super::Frame;

/// What each bit of a violation stands for.
pub const NAMES: [&str; 13] = [
    "rbx was not restored",
    "rbp was not restored",
    "r12 was not restored",
    "r13 was not restored",
    "r14 was not restored",
    "r15 was not restored",
    "the stack pointer was not restored",
    "the caller's part of the stack was written to",
    "the direction flag was left set",
    "the control bits of MXCSR were changed",
    "the x87 control word was changed",
    "x87 registers were left in use (no emms)",
    "the upper halves of vector registers were left in use (no vzeroupper)",
];

/// Address of the stub's own part of the stack while a call runs.
static HOME: AtomicU64 = AtomicU64::new(0);
/// Whether the processor tells if upper vector halves are in use: [`UNKNOWN`], [`NO`] or [`YES`].
static UPPER: AtomicU8 = AtomicU8::new(UNKNOWN);

const NO: u8 = 0;
const YES: u8 = 1;
const UNKNOWN: u8 = 2;

/// Makes the call; see [`NAMES`] for the bits that come back.
///
/// # Safety
/// As [`Frame::call`], and no other thread makes a checked call meanwhile.
pub unsafe fn call(frame: &mut Frame) -> u32 {
    if UPPER.load(Ordering::Relaxed) == UNKNOWN {
        UPPER.store(if upper_is_told() { YES } else { NO }, Ordering::Relaxed);
    }
    // SAFETY: the stub touches only the frame, the two statics and its own stack, and puts back
    // whatever the callee did not.
    unsafe { speedgate_call_checked(frame) }
}

/// Whether XGETBV tells upper vector halves that are in use from ones that are not. Some
/// processors and hypervisors say "in use" always.
pub fn upper_is_told() -> bool {
    // Leaf 13 exists wherever AVX does.
    let told = is_x86_feature_detected!("avx")
        && std::arch::x86_64::__cpuid_count(13, 1).eax & 1 << 2 != 0;
    if !told {
        return false;
    }
    let (clean, dirty): (u32, u32);
    // SAFETY: AVX and this form of XGETBV were just found; only the registers named are changed.
    unsafe {
        asm!(
            "vzeroupper",
            "mov ecx, 1",
            "xgetbv",
            "mov {clean:e}, eax",
            "vpcmpeqd xmm0, xmm0, xmm0",
            "vinsertf128 ymm0, ymm0, xmm0, 1",
            "mov ecx, 1",
            "xgetbv",
            "vzeroupper",
            clean = out(reg) clean,
            out("eax") dirty, out("ecx") _, out("edx") _, out("ymm0") _,
            options(nomem, nostack),
        );
    }
    clean & 4 == 0 && dirty & 4 != 0
}

unsafe extern "C" {
    fn speedgate_call_checked(frame: *mut Frame) -> u32;
}

global_asm!(
    ".macro speedgate_kept register, value, bit",
    "mov rdx, \\value",
    "cmp \\register, rdx",
    "je 9f",
    "or eax, 1 << \\bit",
    "9:",
    ".endm",
    ".p2align 6",
    ".globl speedgate_call_checked",
    ".hidden speedgate_call_checked",
    ".type speedgate_call_checked, @function",
    "speedgate_call_checked:",
    "push rbp",
    "push rbx",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    // Six pushes, the return address and this are a multiple of 16.
    "sub rsp, 56",
    "mov [rsp], rdi",
    "stmxcsr [rsp + 8]",
    "fnstcw [rsp + 12]",
    "mov [rip + {home}], rsp",
    "mov rcx, [rdi + {stack_len}]",
    "mov edx, ecx",
    "and edx, 1",
    "add edx, 8",
    "mov rax, 0x5EED0CA7A51A5EED",
    "2:",
    "push rax",
    "dec edx",
    "jnz 2b",
    "test rcx, rcx",
    "jz 4f",
    "3:",
    "push qword ptr [rdi + {stack} + rcx*8 - 8]",
    "dec rcx",
    "jnz 3b",
    "4:",
    "mov rbx, rdi",
    "lea rdi, [rsp - 520]",
    "mov ecx, 65",
    "mov rax, 0xA5DEADA5A5DEADA5",
    "rep stosq",
    "cmp byte ptr [rip + {upper}], 1",
    "jne 5f",
    "vzeroupper",
    "5:",
    "mov rdi, [rbx + {registers}]",
    "mov rsi, [rbx + {registers} + 8]",
    "mov rdx, [rbx + {registers} + 16]",
    "mov rcx, [rbx + {registers} + 24]",
    "mov r8,  [rbx + {registers} + 32]",
    "mov r9,  [rbx + {registers} + 40]",
    "mov r11, [rbx + {function}]",
    "mov r10, rax",
    "mov rbx, 0x1B0B5EEDA11C0DE1",
    "mov rbp, 0x2B1B5EEDA22C0DE2",
    "mov r12, 0x3C2B5EEDA33C0DE3",
    "mov r13, 0x4D3B5EEDA44C0DE4",
    "mov r14, 0x5E4B5EEDA55C0DE5",
    "mov r15, 0x6F5B5EEDA66C0DE6",
    // al bounds the vector arguments of a variadic callee: there are none.
    "xor eax, eax",
    "call r11",
    // Nothing may be pushed before the stack pointer is known to be right.
    "mov rcx, [rip + {home}]",
    "mov r10, [rcx]",
    "mov [r10 + {ret}], rax",
    "mov [r10 + {ret} + 8], rdx",
    "movq [r10 + {ret_vector}], xmm0",
    "xor eax, eax",
    "speedgate_kept rbx, 0x1B0B5EEDA11C0DE1, 0",
    "speedgate_kept rbp, 0x2B1B5EEDA22C0DE2, 1",
    "speedgate_kept r12, 0x3C2B5EEDA33C0DE3, 2",
    "speedgate_kept r13, 0x4D3B5EEDA44C0DE4, 3",
    "speedgate_kept r14, 0x5E4B5EEDA55C0DE5, 4",
    "speedgate_kept r15, 0x6F5B5EEDA66C0DE6, 5",
    "mov r8, [r10 + {stack_len}]",
    "mov esi, r8d",
    "and esi, 1",
    "add esi, 8",
    "add r8, rsi",
    "neg r8",
    "lea r8, [rcx + r8*8]",
    "cmp rsp, r8",
    "je 2f",
    "or eax, 1 << 6",
    "mov rsp, r8",
    "2:",
    "mov rdx, 0x5EED0CA7A51A5EED",
    "mov rdi, rcx",
    "3:",
    "sub rdi, 8",
    "cmp [rdi], rdx",
    "jne 4f",
    "dec esi",
    "jnz 3b",
    "jmp 5f",
    "4:",
    "or eax, 1 << 7",
    "5:",
    "pushfq",
    "pop rdx",
    "test edx, 0x400",
    "jz 2f",
    "or eax, 1 << 8",
    "cld",
    "2:",
    "stmxcsr [rcx + 44]",
    "mov edx, [rcx + 44]",
    "xor edx, [rcx + 8]",
    // The low six bits are sticky exception flags, which any arithmetic may set.
    "and edx, 0xFFC0",
    "jz 2f",
    "or eax, 1 << 9",
    "ldmxcsr [rcx + 8]",
    "2:",
    "fnstenv [rcx + 16]",
    "mov dx, [rcx + 16]",
    "cmp dx, [rcx + 12]",
    "je 2f",
    "or eax, 1 << 10",
    "2:",
    "cmp word ptr [rcx + 24], -1",
    "je 2f",
    "or eax, 1 << 11",
    "fninit",
    "2:",
    // FNSTENV has masked all exceptions, and the callee may have left one pending.
    "fnclex",
    "fldcw [rcx + 12]",
    "cmp byte ptr [rip + {upper}], 1",
    "jne 2f",
    "mov esi, eax",
    "mov rdi, rcx",
    "mov ecx, 1",
    "xgetbv",
    "and eax, 4",
    // Bit 2 of XINUSE becomes bit 12.
    "shl eax, 10",
    "or eax, esi",
    "mov rcx, rdi",
    "vzeroupper",
    "2:",
    "lea rsp, [rcx + 56]",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    "ret",
    ".size speedgate_call_checked, . - speedgate_call_checked",
    ".purgem speedgate_kept",
    home = sym HOME,
    upper = sym UPPER,
    stack_len = const offset_of!(Frame, stack_len),
    stack = const offset_of!(Frame, stack),
    registers = const offset_of!(Frame, registers),
    function = const offset_of!(Frame, function),
    ret = const offset_of!(Frame, ret),
    ret_vector = const offset_of!(Frame, ret_vector),
);
