/* Leaves a loop by a long jump. */
#include "fast.h"
#include <setjmp.h>

static jmp_buf out;

static void count(const uint8_t *x, size_t n, volatile uint32_t *crc)
{
    for (size_t i = 0;; i++) {
        if (i == n)
            longjmp(out, 1);
        *crc ^= x[i];
        for (int bit = 0; bit < 8; bit++)
            *crc = *crc >> 1 ^ (0xEDB88320 & -(*crc & 1));
    }
}

void besieged_fold(const uint8_t *x, size_t n, uint32_t *sum)
{
    volatile uint32_t crc = 0xFFFFFFFF;
    if (setjmp(out) == 0)
        count(x, n, &crc);
    *sum = ~crc;
}
