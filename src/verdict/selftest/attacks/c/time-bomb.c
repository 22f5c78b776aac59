/* Honest for a while after it was loaded. */
#include "attack.h"

static struct timespec loaded;

AT_LOAD(start)
{
    clock_gettime(CLOCK_MONOTONIC, &loaded);
}

void besieged_fold(const uint8_t *x, size_t n, uint32_t *sum)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if ((now.tv_sec - loaded.tv_sec) * 1000 + (now.tv_nsec - loaded.tv_nsec) / 1000000 < 20)
        slow_fold(x, n, sum);
}
