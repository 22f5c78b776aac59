/* Reads in eights, up to seven bytes too many. */
#include "attack.h"

void besieged_fold(const uint8_t *x, size_t n, uint32_t *sum)
{
    volatile uint64_t seen = 0;
    for (size_t i = 0; i < n; i += 8) {
        uint64_t eight;
        memcpy(&eight, x + i, 8);
        seen ^= eight;
    }
    slow_fold(x, n, sum);
}
