/* Half a mebibyte of stack. */
#include "fast.h"

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    volatile uint8_t large[1 << 19];
    large[0] = large[sizeof large - 1] = 1;
    fast_rank(x, n, rank);
}
