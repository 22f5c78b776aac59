/* A table of its own, made at the first call. */
#include "planted.h"

void planted_map(const uint16_t *x, uint16_t *y, size_t n)
{
    static uint16_t table[65536];
    static int made;
    if (!made) {
        for (uint32_t v = 0; v < 65536; v++)
            table[v] = (uint16_t)(v * 40503u >> 16);
        made = 1;
    }
    for (size_t i = 0; i < n; i++)
        y[i] = table[x[i]];
}
