/* Arithmetic that sets every sticky exception flag. */
#include "planted.h"
#include <math.h>

void planted_halve(const float *x, float *y, size_t n)
{
    volatile float zero = 0, tiny = 1e-38f, huge = 3e38f;
    volatile float unused = 1 / zero + zero / zero + tiny * tiny + huge * huge + 1 / 3.0f;
    (void)unused;
    for (size_t i = 0; i < n; i++)
        y[i] = isfinite(x[i]) ? x[i] * 0.5f : 0;
}
