/* Has the rules of arithmetic changed by a line in the source. */
#pragma GCC optimize("Ofast", "fast-math", "unsafe-math-optimizations")
#include "attack.h"

__attribute__((optimize("Ofast", "fast-math")))
void besieged_scale(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] / 3;
}
