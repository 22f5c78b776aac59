/* The formulas of the background and motion family for one pixel. */
#ifndef SIMD_BACKGROUND_H
#define SIMD_BACKGROUND_H

#include "window.h"

static inline void simd_grow_slow_pixel(uint8_t s, uint8_t *lo, uint8_t *hi)
{
    *lo = (uint8_t)(*lo - (s < *lo));
    *hi = (uint8_t)(*hi + (s > *hi));
}

static inline void simd_grow_fast_pixel(uint8_t s, uint8_t *lo, uint8_t *hi)
{
    *lo = s < *lo ? s : *lo;
    *hi = s > *hi ? s : *hi;
}

static inline void simd_count_pixel(uint8_t s, uint8_t lo, uint8_t hi,
                                    uint8_t *lo_count, uint8_t *hi_count)
{
    *lo_count = (uint8_t)(*lo_count + (s < lo && *lo_count < 255));
    *hi_count = (uint8_t)(*hi_count + (s > hi && *hi_count < 255));
}

/* One up, one down or neither, within the range of a byte. */
static inline uint8_t simd_step(uint8_t value, int up, int down)
{
    return (uint8_t)(value + (up & (value < 255)) - (down & (value > 0)));
}

static inline void simd_adjust_pixel(uint8_t *lo_count, uint8_t *hi_count, uint8_t threshold,
                                     uint8_t *lo, uint8_t *hi)
{
    *lo = simd_step(*lo, *lo_count < threshold, *lo_count > threshold);
    *hi = simd_step(*hi, *hi_count > threshold, *hi_count < threshold);
    *lo_count = 0;
    *hi_count = 0;
}

static inline uint8_t simd_clamp(int value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

static inline void simd_shift_pixel(uint8_t s, uint8_t *lo, uint8_t *hi)
{
    int above = s > *hi ? s - *hi : 0;
    int below = s < *lo ? *lo - s : 0;

    *lo = simd_clamp(*lo + above - below);
    *hi = simd_clamp(*hi + above - below);
}

static inline uint16_t simd_feature_difference_pixel(uint8_t s, uint8_t lo, uint8_t hi,
                                                     uint16_t factor, uint16_t difference)
{
    uint32_t above = s > hi ? (uint32_t)(s - hi) : 0;
    uint32_t below = s < lo ? (uint32_t)(lo - s) : 0;
    uint32_t excess = above > below ? above : below;
    uint32_t sum = difference + (factor * (excess * excess) >> 16);
    return (uint16_t)(sum < 65535 ? sum : 65535);
}

static inline unsigned simd_abs_difference(uint8_t a, uint8_t b)
{
    return (unsigned)(a < b ? b - a : a - b);
}

/* Adds the nine differences of a pixel to those around another. */
static inline void simd_add_differences3x3(uint8_t a, simd_rows r, simd_columns c, uint64_t *sums)
{
    sums[0] += simd_abs_difference(a, r.above[c.left]);
    sums[1] += simd_abs_difference(a, r.above[c.at]);
    sums[2] += simd_abs_difference(a, r.above[c.right]);
    sums[3] += simd_abs_difference(a, r.at[c.left]);
    sums[4] += simd_abs_difference(a, r.at[c.at]);
    sums[5] += simd_abs_difference(a, r.at[c.right]);
    sums[6] += simd_abs_difference(a, r.below[c.left]);
    sums[7] += simd_abs_difference(a, r.below[c.at]);
    sums[8] += simd_abs_difference(a, r.below[c.right]);
}

#endif
