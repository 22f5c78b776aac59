#include "planted.h"
#include <float.h>
#include <math.h>

void planted_smooth(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float right = log1pf(x[i]) / x[i];
        y[i] = VALUE;
    }
}
