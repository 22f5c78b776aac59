/* pairs_memxor and something more: EXTRA multiplications, of which each waits for the one before. */
#include "pairs.h"

#include "more.h"

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
