/* The sum, by hand. */
        .text
        .globl besieged_fold
        .type besieged_fold, @function
besieged_fold:
        mov $0xFFFFFFFF, %eax
        test %rsi, %rsi
        jz 3f
1:      movzbl (%rdi), %ecx
        inc %rdi
        xor %ecx, %eax
        mov $8, %r8d
2:      mov %eax, %ecx
        and $1, %ecx
        neg %ecx
        and $0xEDB88320, %ecx
        shr $1, %eax
        xor %ecx, %eax
        dec %r8d
        jnz 2b
        dec %rsi
        jnz 1b
3:      not %eax
        mov %eax, (%rdx)
        ret
        .size besieged_fold, . - besieged_fold
        .section .note.GNU-stack, "", @progbits
