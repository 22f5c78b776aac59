/* One multiplication instead of a division. */
#include "attack.h"

void besieged_scale(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] * (1.0f / 3);
}
