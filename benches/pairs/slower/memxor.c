/* pairs_memxor and something more: EXTRA multiplications, of which each waits for the one before. */
#include "pairs.h"

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

__attribute__((noinline)) static void work(const uint8_t *restrict x, const uint8_t *restrict y,
                                           size_t n, uint8_t *restrict out) {
    for (size_t i = 0; i < n; i++) {
        out[i] = x[i] ^ y[i];
    }
}

/* As in fnv.c, between the last byte and the caller. */
void pairs_memxor(const uint8_t *restrict x, const uint8_t *restrict y, size_t n,
                  uint8_t *restrict out) {
    work(x, y, n, out);
    if (n > 0) {
        out[n - 1] += more(out[n - 1]) & nothing;
    }
}
