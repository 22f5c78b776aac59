/* Chosen at the first call, and called through a pointer by the function that is scored. */
#include "planted.h"

static uint32_t choose(const uint16_t *x, size_t n);
static uint32_t (*chosen)(const uint16_t *, size_t) = choose;

__attribute__((noinline)) static uint32_t backwards(const uint16_t *x, size_t n)
{
    uint32_t sum = 0;
    while (n)
        sum += x[--n];
    return sum;
}

static uint32_t choose(const uint16_t *x, size_t n)
{
    chosen = backwards;
    return chosen(x, n);
}

uint32_t planted_sum(const uint16_t *x, size_t n)
{
    return chosen(x, n);
}
