#include "toy.h"
#include <string.h>

/* A large frame, calls into libc, names that libc has too, an early return. */
void count_into(uint32_t *count, const uint8_t *x, size_t n);

static void write(uint16_t *rank, const uint8_t *x, size_t n, const uint32_t *smaller)
{
    uint16_t copy[65536];
    for (size_t i = 0; i < n; i++)
        copy[i] = (uint16_t)smaller[x[i]];
    memcpy(rank, copy, n * sizeof *rank);
}

static void index(uint32_t *smaller, const uint32_t *count)
{
    smaller[0] = 0;
    for (int v = 1; v < 256; v++)
        smaller[v] = smaller[v - 1] + count[v - 1];
}

void toy_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    if (n == 0)
        return;
    uint32_t count[256], smaller[256];
    memset(count, 0, sizeof count);
    count_into(count, x, n);
    index(smaller, count);
    write(rank, x, n, smaller);
}
