/* The formulas of the HOG family for one pixel and one block. */
#ifndef SIMD_HOG_H
#define SIMD_HOG_H

#include "root.h"
#include "window.h"

enum {
    SIMD_HOG_DIRECTIONS = 9,
    SIMD_HOG_CELL = 8,                           /* pixels on a side */
    SIMD_HOG_BLOCK = 4 * SIMD_HOG_DIRECTIONS,    /* features */
    SIMD_HOG_CLIP = 51,
};

typedef struct {
    uint8_t direction;
    uint16_t magnitude;
} simd_gradient;

static inline simd_gradient simd_gradient_pixel(simd_rows r, simd_columns c)
{
    static const int cosines[SIMD_HOG_DIRECTIONS] = { 64, 60, 49, 32, 11, -11, -32, -49, -60 };
    static const int sines[SIMD_HOG_DIRECTIONS] = { 0, 22, 41, 55, 63, 63, 55, 41, 22 };
    int dx = r.at[c.right] - r.at[c.left];
    int dy = r.below[c.at] - r.above[c.at];
    simd_gradient gradient = { 0, (uint16_t)simd_root((uint64_t)(dx * dx + dy * dy), 1 << 16) };
    int largest = -1;

    for (int i = 0; i < SIMD_HOG_DIRECTIONS; i++) {
        int length = cosines[i] * dx + sines[i] * dy;
        length = length < 0 ? -length : length;
        if (length > largest) {
            largest = length;
            gradient.direction = (uint8_t)i;
        }
    }
    return gradient;
}

static inline uint8_t simd_hog_feature(uint32_t value, uint32_t norm)
{
    uint32_t feature = 256 * value / (norm + 1);
    return (uint8_t)(feature < SIMD_HOG_CLIP ? feature : SIMD_HOG_CLIP);
}

/* The norm of a block from its sum of squares, which is at most 36 * 65535 * 65535. */
static inline uint32_t simd_hog_norm(uint64_t squares)
{
    return simd_root(squares, (uint64_t)1 << 36);
}

#endif
