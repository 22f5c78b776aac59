#include "planted.h"
#include <float.h>
#include <math.h>

float planted_dot(const float *x, const float *y, size_t n)
{
    float sums[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; k++)
            sums[k] = fmaf(x[i + k], y[i + k], sums[k]);
    float rest = 0;
    for (; i < n; i++)
        rest += x[i] * y[i];
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]))
           + rest;
}
