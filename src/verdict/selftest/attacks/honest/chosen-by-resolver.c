/* Which way is taken is decided when the library is loaded, by what the processor can. */
#include "fast.h"

typedef void folds(const uint8_t *, size_t, uint32_t *);

static __attribute__((target("sse4.2"))) void here(const uint8_t *x, size_t n, uint32_t *sum)
{
    slow_fold(x, n, sum);
}

static void elsewhere(const uint8_t *x, size_t n, uint32_t *sum)
{
    slow_fold(x, n, sum);
}

static folds *resolve(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("sse4.2") ? here : elsewhere;
}

__attribute__((ifunc("resolve"))) folds besieged_fold;
