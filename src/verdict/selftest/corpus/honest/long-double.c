/* Calculates with 80 bits, and leaves the old registers empty. */
#include "planted.h"
#include <math.h>

void planted_halve(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        volatile long double v = x[i];
        y[i] = isfinite(x[i]) ? (float)(v / 2) : 0;
    }
}
