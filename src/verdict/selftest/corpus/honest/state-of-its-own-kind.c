/* Lays out its state in another way. */
#include "planted.h"

void planted_start(void *state)
{
    uint64_t *s = state;
    s[0] = 1;
    s[1] = 0;
}

void planted_feed(void *state, const uint8_t *x, int32_t n)
{
    uint64_t *s = state;
    for (int32_t i = 0; i < n; i++)
        s[1] += s[0] += x[i];
}

uint32_t planted_finish(void *state)
{
    uint64_t *s = state;
    return (uint32_t)s[0] ^ (uint32_t)s[1] << 9;
}
