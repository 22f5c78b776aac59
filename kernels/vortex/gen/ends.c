/* Ascending numbers from 0 to n. */
#include <stddef.h>
#include <stdint.h>

#include "draw.h"

void gen_ends(uint64_t seed, uint64_t *out, size_t len, size_t n) {
    /* Steps of random size, one in eight of none, are stretched until they fill the range. */
    double sum = 0;
    uint64_t first = seed;
    for (int pass = 0; pass < 2; pass++) {
        double at = 0;
        uint64_t state = first;
        for (size_t i = 0; i < len; i++) {
            double step = unit(&state);
            at += step < 0.125 ? 0 : step;
            if (pass == 1) {
                double end = sum > 0 ? at / sum * (double)n : 0;
                out[i] = end > (double)n ? n : (uint64_t)end;
            }
        }
        /* The last end is not always the last bit. */
        sum = at * (1 + unit(&state) * 0.1);
    }
}
