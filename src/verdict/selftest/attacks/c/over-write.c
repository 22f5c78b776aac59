/* Writes in fours, up to three elements too many. */
#include "attack.h"

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    slow_rank(x, n, rank);
    for (size_t i = n; i % 4; i++)
        rank[i] = 0;
}
