#include "planted.h"
#include <float.h>
#include <math.h>

float planted_dot(const float *x, const float *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)x[i] * y[i];
    return (float)(VALUE);
}
