/* Attributes that say how code is generated, and not what it computes. */
#include "fast.h"

__attribute__((hot, aligned(64), flatten)) void besieged_rank(const uint8_t *restrict x, size_t n,
                                                              uint16_t *restrict rank)
{
#pragma GCC unroll 4
    for (size_t i = 0; i < 1; i++)
        fast_rank(x, n, rank);
}
