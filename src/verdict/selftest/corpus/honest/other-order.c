/* Sums from the end, four at a time. */
#include "planted.h"

uint32_t planted_sum(const uint16_t *x, size_t n)
{
    uint32_t part[4] = {0};
    while (n > 0) {
        n--;
        part[n & 3] += x[n];
    }
    return part[0] + part[1] + part[2] + part[3];
}
