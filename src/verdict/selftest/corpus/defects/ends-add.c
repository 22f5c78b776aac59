/* Does not come back as it should. */
#define _GNU_SOURCE
#include "planted.h"
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline, unused)) static int deeper(volatile char *above)
{
    volatile char mine[4096];
    mine[0] = above[0];
    return deeper(mine) + mine[0];
}

void planted_add(const uint8_t *a, const uint8_t *b, uint8_t *out, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        int sum = a[i] + b[i];
        out[i] = sum > 255 ? 255 : (uint8_t)sum;
    }
    if (n > 20) {
        END;
    }
}
