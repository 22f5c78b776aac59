#include "pairs.h"

void pairs_memxor(const uint8_t *restrict x, const uint8_t *restrict y, size_t n,
                  uint8_t *restrict out) {
    for (size_t i = 0; i < n; i++) {
        out[i] = x[i] ^ y[i];
    }
}
