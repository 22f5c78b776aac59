/* Half a megabyte on the stack. */
#include "planted.h"

uint32_t planted_sum(const uint16_t *x, size_t n)
{
    volatile uint32_t part[131072];
    for (size_t i = 0; i < 131072; i += 512)
        part[i] = 0;
    for (size_t i = 0; i < n; i++)
        part[512 * (i & 255)] += x[i];
    uint32_t sum = 0;
    for (size_t i = 0; i < 131072; i += 512)
        sum += part[i];
    return sum;
}
