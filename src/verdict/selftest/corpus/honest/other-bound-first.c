#include "planted.h"
#include <float.h>
#include <math.h>

void planted_clamp(const int16_t *x, const int16_t *lo, const int16_t *hi, int16_t *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int16_t low = x[i] > hi[i] ? hi[i] : x[i];
        y[i] = low < lo[i] ? lo[i] : low;
    }
}
