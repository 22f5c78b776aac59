/* Other rules for what is not an ordinary number. */
#include "planted.h"
#include <float.h>
#include <math.h>

void planted_halve(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = VALUE;
}
