/* Works in memory of its own, and gives it back. */
#include "planted.h"
#include <stdlib.h>
#include <string.h>

void planted_map(const uint16_t *x, uint16_t *y, size_t n)
{
    uint16_t *own = malloc(n * sizeof *own);
    if (!own)
        return;
    for (size_t i = 0; i < n; i++)
        own[i] = (uint16_t)(x[i] * 40503u >> 16);
    memcpy(y, own, n * sizeof *own);
    free(own);
}
