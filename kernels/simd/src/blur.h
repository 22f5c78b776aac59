/* The formulas of the blur family for one pixel. */
#ifndef SIMD_BLUR_H
#define SIMD_BLUR_H

#include "window.h"

static inline uint8_t simd_mean3x3_pixel(simd_rows r, simd_columns c)
{
    int sum = r.above[c.left] + r.above[c.at] + r.above[c.right]
                 + r.at[c.left] + r.at[c.at] + r.at[c.right]
                 + r.below[c.left] + r.below[c.at] + r.below[c.right];
    return (uint8_t)((sum + 4) / 9);
}

static inline uint8_t simd_gaussian3x3_pixel(simd_rows r, simd_columns c)
{
    int corners = r.above[c.left] + r.above[c.right] + r.below[c.left] + r.below[c.right];
    int sides = r.above[c.at] + r.at[c.left] + r.at[c.right] + r.below[c.at];
    return (uint8_t)((corners + 2 * sides + 4 * r.at[c.at] + 8) >> 4);
}

/* Puts two values in order. */
static inline void simd_order(uint8_t *low, uint8_t *high)
{
    uint8_t a = *low, b = *high;
    *low = a < b ? a : b;
    *high = a < b ? b : a;
}

static inline uint8_t simd_median_of_three(uint8_t a, uint8_t b, uint8_t c)
{
    simd_order(&a, &b);
    simd_order(&b, &c);
    return a < b ? b : a;
}

/* Order each column. Of the nine, the median is the median of: the largest of the three lows, the
 * median of the three middles, the smallest of the three highs. All others have too many values on
 * one side of them. */
static inline uint8_t simd_median3x3_pixel(simd_rows r, simd_columns c)
{
    size_t columns[3] = { c.left, c.at, c.right };
    uint8_t low[3], middle[3], high[3];

    for (int i = 0; i < 3; i++) {
        low[i] = r.above[columns[i]];
        middle[i] = r.at[columns[i]];
        high[i] = r.below[columns[i]];
        simd_order(&low[i], &middle[i]);
        simd_order(&middle[i], &high[i]);
        simd_order(&low[i], &middle[i]);
    }
    simd_order(&low[0], &low[1]);
    simd_order(&low[1], &low[2]);
    simd_order(&high[1], &high[2]);
    simd_order(&high[0], &high[1]);
    uint8_t centre = simd_median_of_three(middle[0], middle[1], middle[2]);
    return simd_median_of_three(low[2], centre, high[0]);
}

/* Of the four neighbours, the largest and the smallest cannot be the median; it is the median of
 * the centre and two values between which the other two lie. */
static inline uint8_t simd_median_rhomb3x3_pixel(simd_rows r, simd_columns c)
{
    uint8_t up = r.above[c.at], down = r.below[c.at], left = r.at[c.left], right = r.at[c.right];

    simd_order(&up, &down);
    simd_order(&left, &right);
    simd_order(&up, &left);    /* up: smallest of the four */
    simd_order(&down, &right); /* right: largest of the four */
    return simd_median_of_three(left, r.at[c.at], down);
}

#endif
