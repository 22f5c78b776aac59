/* The formulas of the edges family for one pixel. */
#ifndef SIMD_EDGES_H
#define SIMD_EDGES_H

#include "window.h"

static inline int16_t simd_sobel_dx_pixel(simd_rows r, simd_columns c)
{
    int right = r.above[c.right] + 2 * r.at[c.right] + r.below[c.right];
    int left = r.above[c.left] + 2 * r.at[c.left] + r.below[c.left];
    return (int16_t)(right - left);
}

static inline int16_t simd_sobel_dy_pixel(simd_rows r, simd_columns c)
{
    int below = r.below[c.left] + 2 * r.below[c.at] + r.below[c.right];
    int above = r.above[c.left] + 2 * r.above[c.at] + r.above[c.right];
    return (int16_t)(below - above);
}

static inline uint16_t simd_magnitude(int16_t value)
{
    return (uint16_t)(value < 0 ? -value : value);
}

static inline int16_t simd_laplace_pixel(simd_rows r, simd_columns c)
{
    int around = r.above[c.left] + r.above[c.at] + r.above[c.right]
               + r.at[c.left] + r.at[c.right]
               + r.below[c.left] + r.below[c.at] + r.below[c.right];
    return (int16_t)(8 * r.at[c.at] - around);
}

#endif
