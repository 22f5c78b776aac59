/* The formulas of the pixel-format family for one pixel. */
#ifndef SIMD_PIXELS_H
#define SIMD_PIXELS_H

#include "window.h"

static inline uint8_t simd_gray(const uint8_t *bgr)
{
    return (uint8_t)((1868 * bgr[0] + 9617 * bgr[1] + 4899 * bgr[2] + 8192) >> 14);
}

static inline uint8_t simd_luma(const uint8_t *bgr)
{
    return (uint8_t)(16 + ((25 * bgr[0] + 129 * bgr[1] + 66 * bgr[2] + 128) >> 8));
}

/* A quotient by 256, rounded down, of a value that may be negative but not below -2^17. */
static inline int simd_over_256(int value)
{
    return ((value + (1 << 17)) >> 8) - 512;
}

/* Chroma of a block: of its rows `at` and `below`, from its columns `at` and `right`. */
static inline void simd_chroma(simd_rows rows, simd_columns columns, uint8_t *u, uint8_t *v)
{
    int mean[3];

    for (size_t i = 0; i < 3; i++)
        mean[i] = (rows.at[3 * columns.at + i] + rows.at[3 * columns.right + i]
                   + rows.below[3 * columns.at + i] + rows.below[3 * columns.right + i] + 2) >> 2;
    *u = (uint8_t)(128 + simd_over_256(112 * mean[0] - 74 * mean[1] - 38 * mean[2] + 128));
    *v = (uint8_t)(128 + simd_over_256(-18 * mean[0] - 94 * mean[1] + 112 * mean[2] + 128));
}

static inline uint8_t simd_to_byte(int value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

static inline void simd_yuv_to_bgr_pixel(uint8_t y, uint8_t u, uint8_t v, uint8_t *bgr)
{
    int luma = 298 * (y - 16) + 128, blue = u - 128, red = v - 128;

    /* The sums are above -2^17 for every input. */
    bgr[0] = simd_to_byte(simd_over_256(luma + 516 * blue));
    bgr[1] = simd_to_byte(simd_over_256(luma - 100 * blue - 208 * red));
    bgr[2] = simd_to_byte(simd_over_256(luma + 409 * red));
}

#endif
