#include "segmentation_avx2.h"

#include "avx2.h"
#include "segmentation.h"

/* Masks change in place, but a pixel that has got its value keeps it when it is seen again: vectors
 * may overlap. */

void simd_segmentation_change_index_avx2(uint8_t *mask, size_t mask_stride, size_t w, size_t h,
                                         uint8_t old_index, uint8_t new_index)
{
    __m256i from = _mm256_set1_epi8((char)old_index), to = _mm256_set1_epi8((char)new_index);

    for (size_t y = 0; y < h; y++, mask += mask_stride) {
        if (w < 32) {
            for (size_t x = 0; x < w; x++)
                mask[x] = mask[x] == old_index ? new_index : mask[x];
            continue;
        }
        for (size_t x = 0; x < w; x += 32) {
            if (x > w - 32)
                x = w - 32;
            __m256i pixels = simd_load(mask + x);
            simd_store(mask + x, _mm256_blendv_epi8(pixels, to, _mm256_cmpeq_epi8(pixels, from)));
        }
    }
}

/* Pixels at the border stay. */
void simd_segmentation_fill_holes_avx2(uint8_t *mask, size_t mask_stride, size_t w, size_t h,
                                       uint8_t index)
{
    __m256i filled = _mm256_set1_epi8((char)index);

    for (size_t y = 1; y + 1 < h; y++) {
        simd_rows rows = simd_rows_around(mask, mask_stride, h, y);
        uint8_t *row = mask + y * mask_stride;

        if (w < 34) {
            for (size_t x = 1; x + 1 < w; x++)
                if (simd_is_hole(rows, simd_columns_around(w, x), index))
                    row[x] = index;
            continue;
        }
        /* What the next vector needs to its left is loaded before this one is stored over it: a
         * load of bytes that are half in the store queue waits. A filled hole is no neighbour of
         * another, so that its old value does as well. */
        size_t last = w - 33, x = 1;
        __m256i left = simd_load(row);
        for (;;) {
            size_t next = last - x < 32 ? last : x + 32;
            __m256i pixels = simd_load(row + x), right = simd_load(row + x + 1);
            __m256i above = _mm256_cmpeq_epi8(simd_load(rows.above + x), filled);
            __m256i below = _mm256_cmpeq_epi8(simd_load(rows.below + x), filled);
            __m256i hole = _mm256_and_si256(_mm256_cmpeq_epi8(left, filled),
                                            _mm256_cmpeq_epi8(right, filled));
            hole = _mm256_and_si256(hole, _mm256_and_si256(above, below));
            left = simd_load(row + next - 1);
            simd_store(row + x, _mm256_blendv_epi8(pixels, filled, hole));
            if (x == last)
                break;
            x = next;
        }
    }
}

/* Of sixteen pixels in each of two rows of the parent: whether both equal the index, and whether
 * one does. */
typedef struct {
    __m128i both, one;
} matches;

SIMD_INLINE matches match(simd_parents rows, size_t at, __m128i index)
{
    __m128i nearest = _mm_loadu_si128((const __m128i *)(rows.nearest + at));
    __m128i next = _mm_loadu_si128((const __m128i *)(rows.next + at));
    nearest = _mm_cmpeq_epi8(nearest, index);
    next = _mm_cmpeq_epi8(next, index);
    matches result = { _mm_and_si128(nearest, next), _mm_or_si128(nearest, next) };
    return result;
}

/* Children of even columns and of odd columns in turn. */
SIMD_INLINE __m256i in_turn(__m128i even, __m128i odd)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_unpacklo_epi8(even, odd)),
                                   _mm_unpackhi_epi8(even, odd), 1);
}

/* 32 children from an even column on, which has a parent to its left; so has the last one to its
 * right. */
SIMD_INLINE void propagate(simd_parents rows, size_t x, const uint8_t *difference, uint8_t *child,
                           simd_propagation how)
{
    __m128i index = _mm_set1_epi8((char)how.index);
    matches left = match(rows, x / 2 - 1, index), at = match(rows, x / 2, index);
    matches right = match(rows, x / 2 + 1, index);
    __m256i all = in_turn(_mm_and_si128(left.both, at.both), _mm_and_si128(at.both, right.both));
    __m256i some = in_turn(_mm_or_si128(left.one, at.one), _mm_or_si128(at.one, right.one));

    __m256i small = _mm256_cmpeq_epi8(
        _mm256_subs_epu8(simd_load(difference + x), _mm256_set1_epi8((char)how.threshold)),
        _mm256_setzero_si256());
    __m256i inside = _mm256_or_si256(all, _mm256_andnot_si256(small, some));
    __m256i value = _mm256_blendv_epi8(_mm256_set1_epi8((char)how.empty),
                                       _mm256_set1_epi8((char)how.index), inside);
    __m256i old = simd_load(child + x);
    __m256i stays = _mm256_cmpeq_epi8(_mm256_max_epu8(old, _mm256_set1_epi8((char)how.invalid)),
                                      old);
    simd_store(child + x, _mm256_blendv_epi8(value, old, stays));
}

void simd_segmentation_propagate2x2_avx2(const uint8_t *parent, size_t parent_stride,
                                         const uint8_t *difference, size_t difference_stride,
                                         uint8_t *child, size_t child_stride, size_t w, size_t h,
                                         uint8_t index, uint8_t invalid, uint8_t empty,
                                         uint8_t threshold)
{
    simd_propagation how = { index, invalid, empty, threshold };
    size_t even = (w + 1) / 2 * 2, done = 2;

    for (size_t y = 0; y < h; y++, difference += difference_stride, child += child_stride) {
        simd_parents rows = simd_parents_near(parent, parent_stride, h, y);

        if (even >= 36) {
            size_t last = even - 34;
            for (size_t x = 2; x < last + 32; x += 32) {
                if (x > last)
                    x = last;
                propagate(rows, x, difference, child, how);
            }
            done = last + 32;
        }
        for (size_t x = 0; x < w; x = x == 1 ? done : x + 1)
            child[x] = simd_propagate_pixel(rows, w, x, child[x], difference[x], how);
    }
}
