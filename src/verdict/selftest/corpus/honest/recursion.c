/* Halves of halves. */
#include "planted.h"

__attribute__((noinline)) static uint32_t part(const uint16_t *x, size_t n)
{
    if (n < 2)
        return n ? x[0] : 0;
    return part(x, n / 2) + part(x + n / 2, n - n / 2);
}

uint32_t planted_sum(const uint16_t *x, size_t n)
{
    return part(x, n);
}
