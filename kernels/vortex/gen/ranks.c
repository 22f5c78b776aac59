/* Ranks below a share of n; with probability `broken` one of them is far above. */
#include <stddef.h>
#include <stdint.h>

#include "draw.h"

void gen_ranks(uint64_t seed, uint32_t *out, size_t len, size_t n, const double *share,
               const double *broken) {
    uint64_t bound = (uint64_t)(between(&seed, share) * (double)n);
    for (size_t i = 0; i < len; i++) {
        out[i] = bound ? (uint32_t)(draw(&seed) % bound) : 0;
    }
    if (len && unit(&seed) < broken[0]) {
        out[draw(&seed) % len] = (uint32_t)n + (uint32_t)(draw(&seed) % 3);
    }
}
