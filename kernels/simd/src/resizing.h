/* The formulas of the resizing family for one pixel. */
#ifndef SIMD_RESIZING_H
#define SIMD_RESIZING_H

#include "window.h"

/* Sum of a row's pixels left, at and right with weights 1, 2, 1. */
static inline unsigned simd_binomial(const uint8_t *row, simd_columns c)
{
    return row[c.left] + 2u * row[c.at] + row[c.right];
}

static inline uint8_t simd_reduce2x2_pixel(simd_rows r, simd_columns c)
{
    return (uint8_t)((r.at[c.at] + r.at[c.right] + r.below[c.at] + r.below[c.right] + 2) >> 2);
}

static inline uint8_t simd_reduce3x3_pixel(simd_rows r, simd_columns c)
{
    unsigned at = simd_binomial(r.at, c);
    unsigned sum = simd_binomial(r.above, c) + 2 * at + simd_binomial(r.below, c);
    return (uint8_t)((sum + 8) >> 4);
}

/* Where a destination column (row) lies in the source. */
typedef struct {
    size_t first;    /* pixel at or before the position */
    unsigned weight; /* of the pixel after it, in 1/128; 0 when there is none */
} simd_position;

static inline simd_position simd_position_of(size_t i, size_t from, size_t to)
{
    uint64_t end = 128 * ((uint64_t)from - 1);
    uint64_t u = 64 * (2 * (uint64_t)i + 1) * from / to;

    u = u > 64 ? u - 64 : 0;
    u = u < end ? u : end;
    simd_position position = { (size_t)(u >> 7), (unsigned)(u & 127) };
    return position;
}

#endif
