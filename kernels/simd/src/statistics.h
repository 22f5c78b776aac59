/* The formulas of the statistics family for one pixel. */
#ifndef SIMD_STATISTICS_H
#define SIMD_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

static inline unsigned simd_squared_difference(uint8_t a, uint8_t b)
{
    int difference = a - b;
    return (unsigned)(difference * difference);
}

/* Counts the pixel at (x, y). */
static inline void simd_add_moments(uint64_t *moments, uint64_t x, uint64_t y)
{
    moments[0] += 1;
    moments[1] += x;
    moments[2] += y;
    moments[3] += x * x;
    moments[4] += x * y;
    moments[5] += y * y;
}

#endif
