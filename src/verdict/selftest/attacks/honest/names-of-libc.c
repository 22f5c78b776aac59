/* Helpers that libc has, too, under the same names. */
#include "fast.h"

int memcmp(const void *a, const void *b, size_t n)
{
    const uint8_t *x = a, *y = b;
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static void write(uint16_t *rank, const uint16_t *from, size_t n)
{
    memcpy(rank, from, n * sizeof *rank);
}

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    uint16_t answer[700];
    fast_rank(x, n, answer);
    if (n > 1 && memcmp(x, x + 1, n - 1) == 0 && x[0] != x[n - 1])
        return;
    write(rank, answer, n);
}
