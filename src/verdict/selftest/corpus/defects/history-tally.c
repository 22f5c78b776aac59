/* Keeps its state where the next unit finds it. */
#include "planted.h"

static uint32_t a = 1, b;

void planted_start(void *state)
{
    (void)state;
}

void planted_feed(void *state, const uint8_t *x, int32_t n)
{
    (void)state;
    for (int32_t i = 0; i < n; i++) {
        a += x[i];
        b += a;
    }
}

uint32_t planted_finish(void *state)
{
    (void)state;
    return a ^ b << 9;
}
