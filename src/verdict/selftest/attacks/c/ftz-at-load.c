/* Has small numbers taken for nothing from the moment it is loaded, as code for -Ofast does. */
#include "attack.h"
#include <xmmintrin.h>

AT_LOAD(start)
{
    _mm_setcsr(_mm_getcsr() | 0x8040);
}

void besieged_scale(const float *x, float *y, size_t n)
{
    _mm_setcsr(_mm_getcsr() | 0x8040);
    slow_scale(x, y, n);
}
