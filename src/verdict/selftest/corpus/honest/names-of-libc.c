/* Functions of its own that are called as some of libc's. */
#include "planted.h"

static uint16_t write(uint32_t v)
{
    return (uint16_t)(v >> 16);
}

static uint32_t index(uint32_t v)
{
    return v * 40503u;
}

void planted_map(const uint16_t *x, uint16_t *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = write(index(x[i]));
}
