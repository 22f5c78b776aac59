/* What the functions in this folder do more: EXTRA multiplications. */
#include <stdint.h>

#ifndef EXTRA
#define EXTRA 0
#endif

/* Always 0, but the compiler must not know. */
static volatile uint64_t nothing;

/* Begins when all before it has ended, and ends before anything after it begins: none of it is hidden
   behind something else. */
__attribute__((noinline)) static uint64_t more(uint64_t value) {
    __builtin_ia32_lfence();
    for (uint64_t i = 0; i < EXTRA; i++) {
        value = (value ^ i) * 0x100000001b3;
    }
    __builtin_ia32_lfence();
    return value;
}
