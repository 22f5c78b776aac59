//! System V x86-64: six integer registers, the rest on the stack, 16-byte aligned at the call.

use std::arch::global_asm;
use std::mem::offset_of;

use super::Frame;

global_asm!(
    ".p2align 6",
    ".globl speedgate_call",
    ".hidden speedgate_call",
    ".type speedgate_call, @function",
    "speedgate_call:",
    "push rbp",
    "mov rbp, rsp",
    "push rbx",
    // Two pushes and the return address leave rsp 8 off a multiple of 16.
    "sub rsp, 8",
    "mov rbx, rdi",
    "mov rcx, [rbx + {stack_len}]",
    "test rcx, rcx",
    "jz 3f",
    // An odd number of stack arguments needs 8 bytes of padding under them.
    "test cl, 1",
    "jz 2f",
    "sub rsp, 8",
    "2:",
    "push qword ptr [rbx + {stack} + rcx*8 - 8]",
    "dec rcx",
    "jnz 2b",
    "3:",
    "mov rdi, [rbx + {registers}]",
    "mov rsi, [rbx + {registers} + 8]",
    "mov rdx, [rbx + {registers} + 16]",
    "mov rcx, [rbx + {registers} + 24]",
    "mov r8,  [rbx + {registers} + 32]",
    "mov r9,  [rbx + {registers} + 40]",
    // al bounds the vector arguments of a variadic callee: there are none.
    "xor eax, eax",
    "call [rbx + {function}]",
    "mov [rbx + {ret}], rax",
    "mov [rbx + {ret} + 8], rdx",
    "movq [rbx + {ret_vector}], xmm0",
    "lea rsp, [rbp - 8]",
    "pop rbx",
    "pop rbp",
    "ret",
    ".size speedgate_call, . - speedgate_call",
    stack_len = const offset_of!(Frame, stack_len),
    stack = const offset_of!(Frame, stack),
    registers = const offset_of!(Frame, registers),
    function = const offset_of!(Frame, function),
    ret = const offset_of!(Frame, ret),
    ret_vector = const offset_of!(Frame, ret_vector),
);
