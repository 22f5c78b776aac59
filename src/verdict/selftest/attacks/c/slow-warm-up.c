/* Is slow at first, in the hope that fewer calls are made then. */
#include "attack.h"

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    static unsigned calls;
    slow_rank(x, n, rank);
    if (calls++ < 20)
        dawdle(3000000);
}
