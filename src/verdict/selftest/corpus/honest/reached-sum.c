/* Reached on a way of its own. */
#include "planted.h"

#ifndef CALLED
#define CALLED planted_sum
#endif

__attribute__((noinline)) uint32_t CALLED(const uint16_t *x, size_t n)
{
    uint32_t sum = 0;
    while (n)
        sum += x[--n];
    return sum;
}

#ifdef ALIAS
uint32_t planted_sum(const uint16_t *x, size_t n) __attribute__((alias("quick")));
#endif

struct table {
    long size;
    uint32_t (*sum)(const uint16_t *, size_t);
};

static const struct table table = {2, CALLED};
const struct table *volatile chosen = &table;

uint32_t planted_checksum(const uint16_t *x, size_t n)
{
    HOW;
}
