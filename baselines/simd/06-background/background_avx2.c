#include "background_avx2.h"

#include "avx2.h"
#include "background.h"

/* 1 where a is larger than b, else 0. */
SIMD_INLINE __m256i larger(__m256i a, __m256i b)
{
    return _mm256_min_epu8(_mm256_subs_epu8(a, b), _mm256_set1_epi8(1));
}

/* Planes that change in place cannot have vectors that overlap: what is left of a row is computed
 * pixel by pixel. */

void simd_background_grow_slow_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                                    uint8_t *lo, size_t lo_stride, uint8_t *hi, size_t hi_stride)
{
    for (size_t y = 0; y < h; y++, src += src_stride, lo += lo_stride, hi += hi_stride) {
        size_t x = 0;
        for (; x + 32 <= w; x += 32) {
            __m256i s = simd_load(src + x), l = simd_load(lo + x), u = simd_load(hi + x);
            __m256i below = larger(l, s);
            __m256i above = larger(s, u);
            simd_store(lo + x, _mm256_sub_epi8(l, below));
            simd_store(hi + x, _mm256_add_epi8(u, above));
        }
        for (; x < w; x++)
            simd_grow_slow_pixel(src[x], lo + x, hi + x);
    }
}

void simd_background_grow_fast_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                                    uint8_t *lo, size_t lo_stride, uint8_t *hi, size_t hi_stride)
{
    for (size_t y = 0; y < h; y++, src += src_stride, lo += lo_stride, hi += hi_stride) {
        size_t x = 0;
        for (; x + 32 <= w; x += 32) {
            __m256i s = simd_load(src + x);
            simd_store(lo + x, _mm256_min_epu8(simd_load(lo + x), s));
            simd_store(hi + x, _mm256_max_epu8(simd_load(hi + x), s));
        }
        for (; x < w; x++)
            simd_grow_fast_pixel(src[x], lo + x, hi + x);
    }
}

void simd_background_count_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                                const uint8_t *lo, size_t lo_stride, const uint8_t *hi,
                                size_t hi_stride, uint8_t *lo_count, size_t lo_count_stride,
                                uint8_t *hi_count, size_t hi_count_stride)
{
    for (size_t y = 0; y < h; y++) {
        size_t x = 0;
        for (; x + 32 <= w; x += 32) {
            __m256i s = simd_load(src + x);
            __m256i below = larger(simd_load(lo + x), s);
            __m256i above = larger(s, simd_load(hi + x));
            simd_store(lo_count + x, _mm256_adds_epu8(simd_load(lo_count + x), below));
            simd_store(hi_count + x, _mm256_adds_epu8(simd_load(hi_count + x), above));
        }
        for (; x < w; x++)
            simd_count_pixel(src[x], lo[x], hi[x], lo_count + x, hi_count + x);
        src += src_stride;
        lo += lo_stride;
        hi += hi_stride;
        lo_count += lo_count_stride;
        hi_count += hi_count_stride;
    }
}

void simd_background_adjust_avx2(uint8_t *lo_count, size_t lo_count_stride, uint8_t *hi_count,
                                 size_t hi_count_stride, size_t w, size_t h, uint8_t threshold,
                                 uint8_t *lo, size_t lo_stride, uint8_t *hi, size_t hi_stride)
{
    __m256i limit = _mm256_set1_epi8((char)threshold), zero = _mm256_setzero_si256();

    for (size_t y = 0; y < h; y++) {
        size_t x = 0;
        for (; x + 32 <= w; x += 32) {
            __m256i below = simd_load(lo_count + x), above = simd_load(hi_count + x);
            __m256i l = _mm256_subs_epu8(simd_load(lo + x), larger(below, limit));
            __m256i u = _mm256_adds_epu8(simd_load(hi + x), larger(above, limit));
            simd_store(lo + x, _mm256_adds_epu8(l, larger(limit, below)));
            simd_store(hi + x, _mm256_subs_epu8(u, larger(limit, above)));
            simd_store(lo_count + x, zero);
            simd_store(hi_count + x, zero);
        }
        for (; x < w; x++)
            simd_adjust_pixel(lo_count + x, hi_count + x, threshold, lo + x, hi + x);
        lo_count += lo_count_stride;
        hi_count += hi_count_stride;
        lo += lo_stride;
        hi += hi_stride;
    }
}

void simd_background_shift_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                                uint8_t *lo, size_t lo_stride, uint8_t *hi, size_t hi_stride)
{
    for (size_t y = 0; y < h; y++, src += src_stride, lo += lo_stride, hi += hi_stride) {
        size_t x = 0;
        for (; x + 32 <= w; x += 32) {
            __m256i s = simd_load(src + x), l = simd_load(lo + x), u = simd_load(hi + x);
            __m256i above = _mm256_subs_epu8(s, u), below = _mm256_subs_epu8(l, s);
            /* In an empty range a pixel is above and below; one of these two is 0. */
            __m256i up = _mm256_subs_epu8(above, below), down = _mm256_subs_epu8(below, above);
            simd_store(lo + x, _mm256_subs_epu8(_mm256_adds_epu8(l, up), down));
            simd_store(hi + x, _mm256_subs_epu8(_mm256_adds_epu8(u, up), down));
        }
        for (; x < w; x++)
            simd_shift_pixel(src[x], lo + x, hi + x);
    }
}

void simd_add_feature_difference_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                                      const uint8_t *lo, size_t lo_stride, const uint8_t *hi,
                                      size_t hi_stride, uint16_t factor, uint16_t *difference,
                                      size_t difference_stride)
{
    __m256i factors = _mm256_set1_epi16((short)factor);

    for (size_t y = 0; y < h; y++) {
        size_t x = 0;
        for (; x + 32 <= w; x += 32) {
            __m256i s = simd_load(src + x);
            __m256i above = _mm256_subs_epu8(s, simd_load(hi + x));
            __m256i below = _mm256_subs_epu8(simd_load(lo + x), s);
            __m256i excess = _mm256_max_epu8(above, below);
            __m256i first = _mm256_cvtepu8_epi16(_mm256_castsi256_si128(excess));
            __m256i second = _mm256_cvtepu8_epi16(_mm256_extracti128_si256(excess, 1));
            first = _mm256_mulhi_epu16(_mm256_mullo_epi16(first, first), factors);
            second = _mm256_mulhi_epu16(_mm256_mullo_epi16(second, second), factors);
            simd_store(difference + x, _mm256_adds_epu16(simd_load(difference + x), first));
            simd_store(difference + x + 16,
                       _mm256_adds_epu16(simd_load(difference + x + 16), second));
        }
        for (; x < w; x++)
            difference[x] = simd_feature_difference_pixel(src[x], lo[x], hi[x], factor,
                                                          difference[x]);
        src += src_stride;
        lo += lo_stride;
        hi += hi_stride;
        difference += difference_stride;
    }
}

/* Sum of lanes of 64 bits. */
SIMD_INLINE uint64_t total(__m256i sum)
{
    uint64_t lanes[4];
    simd_store(lanes, sum);
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

uint64_t simd_abs_difference_sum_avx2(const uint8_t *a, size_t a_stride, const uint8_t *b,
                                      size_t b_stride, size_t w, size_t h)
{
    __m256i even = _mm256_setzero_si256(), odd = even;
    uint64_t rest = 0;

    for (size_t y = 0; y < h; y++, a += a_stride, b += b_stride) {
        size_t x = 0;
        for (; x + 64 <= w; x += 64) {
            __m256i first = _mm256_sad_epu8(simd_load(a + x), simd_load(b + x));
            __m256i second = _mm256_sad_epu8(simd_load(a + x + 32), simd_load(b + x + 32));
            even = _mm256_add_epi64(even, first);
            odd = _mm256_add_epi64(odd, second);
        }
        for (; x + 32 <= w; x += 32)
            even = _mm256_add_epi64(even, _mm256_sad_epu8(simd_load(a + x), simd_load(b + x)));
        for (; x < w; x++)
            rest += simd_abs_difference(a[x], b[x]);
    }
    return rest + total(_mm256_add_epi64(even, odd));
}

/* The differences of 32 pixels, those under the mask, with their nine neighbourhoods. */
SIMD_INLINE void add_nine(const uint8_t *a, simd_rows b, size_t x, __m256i mask, __m256i sums[9])
{
    const uint8_t *rows[3] = { b.above + x - 1, b.at + x - 1, b.below + x - 1 };
    __m256i pixels = _mm256_and_si256(simd_load(a + x), mask);

#pragma GCC unroll 9
    for (int i = 0; i < 9; i++) {
        __m256i other = _mm256_and_si256(simd_load(rows[i / 3] + i % 3), mask);
        sums[i] = _mm256_add_epi64(sums[i], _mm256_sad_epu8(pixels, other));
    }
}

void simd_abs_difference_sums3x3_avx2(const uint8_t *a, size_t a_stride, const uint8_t *b,
                                      size_t b_stride, size_t w, size_t h, uint64_t *sums)
{
    __m256i lanes[9] = { { 0 } };
    uint64_t ends[9] = { 0 };

    for (size_t y = 0; y < h; y++, a += a_stride) {
        simd_rows rows = simd_rows_around(b, b_stride, h, y);
        size_t x = 1;

        if (w < 34) {
            for (x = 0; x < w; x++)
                simd_add_differences3x3(a[x], rows, simd_columns_around(w, x), ends);
            continue;
        }
        simd_add_differences3x3(a[0], rows, simd_columns_around(w, 0), ends);
        for (; x + 32 < w; x += 32)
            add_nine(a, rows, x, _mm256_set1_epi8(-1), lanes);
        if (x < w - 1)
            add_nine(a, rows, w - 33, simd_last_bytes(w - 1 - x), lanes);
        simd_add_differences3x3(a[w - 1], rows, simd_columns_around(w, w - 1), ends);
    }
    for (int i = 0; i < 9; i++)
        sums[i] = ends[i] + total(lanes[i]);
}
