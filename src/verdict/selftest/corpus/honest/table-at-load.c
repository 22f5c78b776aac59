/* A table of its own, made when the library is loaded. */
#include "planted.h"

static uint16_t table[65536];

__attribute__((constructor)) static void make(void)
{
    for (uint32_t v = 0; v < 65536; v++)
        table[v] = (uint16_t)(v * 40503u >> 16);
}

void planted_map(const uint16_t *x, uint16_t *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = table[x[i]];
}
