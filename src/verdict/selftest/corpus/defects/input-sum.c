/* Has the kernel write into its input, which refuses where that would be a fault. */
#define _GNU_SOURCE
#include "planted.h"
#include <sys/syscall.h>
#include <unistd.h>

uint32_t planted_sum(const uint16_t *x, size_t n)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    if (n > 0)
        syscall(SYS_getrandom, (void *)(x + n / 2), 2, 0);
    return sum;
}
