/* The formulas of the segmentation family for one pixel. */
#ifndef SIMD_SEGMENTATION_H
#define SIMD_SEGMENTATION_H

#include "window.h"

/* Whether a pixel with these neighbours is a hole in a segment. */
static inline int simd_is_hole(simd_rows r, simd_columns c, uint8_t index)
{
    return (r.at[c.left] == index) & (r.at[c.right] == index)
           & (r.above[c.at] == index) & (r.below[c.at] == index);
}

/* What a segment is carried over with. */
typedef struct {
    uint8_t index, invalid, empty, threshold;
} simd_propagation;

/* The rows of a parent that are near a row of the child. */
typedef struct {
    const uint8_t *nearest, *next;
} simd_parents;

static inline size_t simd_next_to(size_t at, int forward, size_t count)
{
    if (forward)
        return at + 1 < count ? at + 1 : at;
    return at > 0 ? at - 1 : at;
}

static inline simd_parents simd_parents_near(const uint8_t *parent, size_t stride, size_t h,
                                             size_t y)
{
    size_t next = simd_next_to(y / 2, y % 2 == 1, (h + 1) / 2);
    simd_parents rows = { parent + y / 2 * stride, parent + next * stride };
    return rows;
}

static inline uint8_t simd_propagate_pixel(simd_parents rows, size_t w, size_t x, uint8_t child,
                                           uint8_t difference, simd_propagation how)
{
    size_t at = x / 2, next = simd_next_to(at, x % 2 == 1, (w + 1) / 2);
    int count = (rows.nearest[at] == how.index) + (rows.nearest[next] == how.index)
                + (rows.next[at] == how.index) + (rows.next[next] == how.index);

    if (child >= how.invalid)
        return child;
    return count == 4 || (count > 0 && difference > how.threshold) ? how.index : how.empty;
}

#endif
