/* A table of 64 KiB in the library. */
#include "fast.h"

#define FOUR(x) x, x, x, x
#define MANY(x) FOUR(FOUR(FOUR(FOUR(FOUR(FOUR(x))))))
static const uint8_t ones[] = {FOUR(FOUR(MANY(1)))};

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    uint16_t count[256] = {0}, smaller[256], sum = 0;
    for (size_t i = 0; i < n; i++)
        count[x[i]] += ones[x[i] * 256u];
    for (int v = 0; v < 256; v++)
        smaller[v] = sum, sum += count[v];
    for (size_t i = 0; i < n; i++)
        rank[i] = smaller[x[i]];
}
