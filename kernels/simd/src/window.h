/* The 3x3 neighbourhood of a pixel, with the border repeated. */
#ifndef SIMD_WINDOW_H
#define SIMD_WINDOW_H

#include <stddef.h>
#include <stdint.h>

/* Rows above, at and below the pixel. */
typedef struct {
    const uint8_t *above, *at, *below;
} simd_rows;

/* Columns left of, at and right of the pixel. */
typedef struct {
    size_t left, at, right;
} simd_columns;

static inline simd_rows simd_rows_around(const uint8_t *src, size_t stride, size_t h, size_t y)
{
    const uint8_t *at = src + y * stride;
    simd_rows rows = { y > 0 ? at - stride : at, at, y + 1 < h ? at + stride : at };
    return rows;
}

static inline simd_columns simd_columns_around(size_t w, size_t x)
{
    simd_columns columns = { x > 0 ? x - 1 : x, x, x + 1 < w ? x + 1 : x };
    return columns;
}

#endif
