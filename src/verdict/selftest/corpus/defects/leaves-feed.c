/* The second of several calls does not restore a register. */
#include "planted.h"

struct tally {
    uint32_t a, b;
};

void planted_start(void *state)
{
    struct tally *t = state;
    t->a = 1;
    t->b = 0;
}

void planted_feed(void *state, const uint8_t *x, int32_t n)
{
    struct tally *t = state;
    for (int32_t i = 0; i < n; i++) {
        t->a += x[i];
        t->b += t->a;
    }
    if (n > 40)
        __asm__ volatile("xor %%r13d, %%r13d" ::: "memory");
}

uint32_t planted_finish(void *state)
{
    struct tally *t = state;
    return t->a ^ t->b << 9;
}
