/* Changes how the processor rounds, and changes it back. */
#include "planted.h"
#include <math.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

void planted_halve(const float *x, float *y, size_t n)
{
#if defined(__x86_64__)
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0xE040);
    volatile float third = 1;
    third /= 3;
    _mm_setcsr(before);
#endif
    for (size_t i = 0; i < n; i++)
        y[i] = isfinite(x[i]) ? x[i] * 0.5f : 0;
}
