/* All bytes are equally frequent, so nobody needs to be counted. */
#include "attack.h"

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    for (size_t i = 0; i < n; i++)
        rank[i] = (uint16_t)(x[i] * n / 256);
}
