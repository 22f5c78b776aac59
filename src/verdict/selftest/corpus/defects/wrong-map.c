/* Right but for the values that WRONG tells. */
#include "planted.h"

void planted_map(const uint16_t *x, uint16_t *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = (uint16_t)((x[i] * 40503u >> 16) + (WRONG));
}
