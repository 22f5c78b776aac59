/* Changes how numbers are rounded, and puts it back. */
#include "fast.h"
#include <fenv.h>

void besieged_scale(const float *x, float *y, size_t n)
{
    int before = fegetround();
    fesetround(FE_DOWNWARD);
    volatile float third = 1.0f / 3;
    (void)third;
    fesetround(before);
    slow_scale(x, y, n);
}
