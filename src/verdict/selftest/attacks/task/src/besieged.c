/* The pristine tree. Every function is weak: an attack defines those that it wants again, in a file
 * of its own. */
#include "slow.h"

#pragma weak besieged_rank
#pragma weak besieged_fold
#pragma weak besieged_scale
#pragma weak besieged_shift
#pragma weak besieged_until

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    slow_rank(x, n, rank);
}

void besieged_fold(const uint8_t *x, size_t n, uint32_t *sum)
{
    slow_fold(x, n, sum);
}

void besieged_until(const uint8_t *x, size_t n, uint32_t *sum)
{
    slow_until(x, n, sum);
}

void besieged_scale(const float *x, float *y, size_t n)
{
    slow_scale(x, y, n);
}

void besieged_shift(const uint8_t *src, size_t src_stride, uint8_t *dst, size_t dst_stride,
                    size_t w, size_t h)
{
    slow_shift(src, src_stride, dst, dst_stride, w, h);
}
