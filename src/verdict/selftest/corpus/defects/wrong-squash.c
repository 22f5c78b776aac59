#include "planted.h"
#include <float.h>
#include <math.h>

void planted_squash(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float right = x[i] / (1 + fabsf(x[i]));
        y[i] = VALUE;
    }
}
