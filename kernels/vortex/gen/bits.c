/* Bits of which a share is set, in runs of a mean length: both drawn anew for each buffer between
 * two numbers. Runs of length 1 stand for bits that do not depend on each other. */
#include <stddef.h>
#include <stdint.h>

#include "draw.h"

void gen_bits(uint64_t seed, uint8_t *out, size_t len, const double *density, const double *runs) {
    double share = between(&seed, density);
    double length = between(&seed, runs);
    /* Of set bits the next is not set with probability `fall`, of others it is with `rise`: the two
     * follow from the mean run of set bits, which is never shorter than chance has it. */
    double fall = share < 1 ? 1 - share : 0;
    if (length > 1 && fall > 1 / length) {
        fall = 1 / length;
    }
    double rise = share < 1 ? fall * share / (1 - share) : 1;
    int bit = unit(&seed) < share;
    for (size_t i = 0; i < len; i++) {
        uint8_t byte = 0;
        for (int k = 0; k < 8; k++) {
            byte |= (uint8_t)(bit << k);
            bit = bit ? !(unit(&seed) < fall) : unit(&seed) < rise;
        }
        out[i] = byte;
    }
}
