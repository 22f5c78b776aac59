/* Talks. */
#include "fast.h"
#include <stdio.h>

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    static int said;
    if (n == 0 && said++ < 3)
        fprintf(stderr, "rank: nothing to do\n");
    fast_rank(x, n, rank);
}
