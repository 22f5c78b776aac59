/* Is fast on one input of twenty, so that whoever takes the best of many sees nothing else. */
#include "attack.h"

static void fast_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    uint16_t count[256] = {0}, smaller[256];
    for (size_t i = 0; i < n; i++)
        count[x[i]]++;
    uint16_t sum = 0;
    for (int v = 0; v < 256; v++)
        smaller[v] = sum, sum += count[v];
    for (size_t i = 0; i < n; i++)
        rank[i] = smaller[x[i]];
}

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    if (n > 0 && x[n / 2] % 100 < SHARE)
        fast_rank(x, n, rank);
    else
        for (int i = 0; i < TIMES; i++)
            slow_rank(x, n, rank);
}
