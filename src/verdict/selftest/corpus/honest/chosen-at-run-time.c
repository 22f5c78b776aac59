/* Goes through a pointer that is set by what the processor can do. */
#include "planted.h"

static void plain(uint8_t *x, size_t n)
{
    uint8_t last = 0;
    for (size_t i = 0; i < n; i++)
        x[i] = last ^= x[i];
}

static void choose(uint8_t *x, size_t n);
static void (*volatile chain)(uint8_t *, size_t) = choose;

static void choose(uint8_t *x, size_t n)
{
    chain = plain;
    chain(x, n);
}

void planted_chain(uint8_t *x, size_t n)
{
    chain(x, n);
}
