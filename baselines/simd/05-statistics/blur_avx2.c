#include "blur_avx2.h"

#include "avx2.h"
#include "blur.h"

/* 32 outputs, from the column of the first. */
typedef __m256i filter(simd_rows rows, size_t column);
typedef uint8_t filter_pixel(simd_rows rows, simd_columns columns);

/* The first and the last column are computed alone, what lies between in vectors; the last vector
 * overlaps the one before it. */
SIMD_INLINE void filter_plane(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                              uint8_t *dst, size_t dst_stride, filter *vector, filter_pixel *pixel)
{
    for (size_t y = 0; y < h; y++) {
        simd_rows rows = simd_rows_around(src, src_stride, h, y);
        uint8_t *row = dst + y * dst_stride;

        if (w < 34) {
            for (size_t x = 0; x < w; x++)
                row[x] = pixel(rows, simd_columns_around(w, x));
            continue;
        }
        row[0] = pixel(rows, simd_columns_around(w, 0));
        for (size_t x = 1; x < w - 1; x += 32) {
            if (x > w - 33)
                x = w - 33;
            simd_store(row + x, vector(rows, x));
        }
        row[w - 1] = pixel(rows, simd_columns_around(w, w - 1));
    }
}

/* Sum of the nine pixels and of a constant, with the weights of (1 m 1) x (1 m 1); m is 1 or 2. */
SIMD_INLINE simd_wide sum3x3(simd_rows rows, size_t x, int m, int constant)
{
    const uint8_t *a = rows.above + x, *b = rows.at + x, *c = rows.below + x;
    simd_wide sum = simd_pair(simd_load(a - 1), simd_load(a), 1, m);
    sum = simd_add(sum, simd_pair(simd_load(a + 1), simd_load(b - 1), 1, m));
    sum = simd_add(sum, simd_pair(simd_load(b), simd_load(b + 1), m * m, m));
    sum = simd_add(sum, simd_pair(simd_load(c - 1), simd_load(c), 1, m));
    __m256i bias = _mm256_set1_epi8((char)constant);
    return simd_add(sum, simd_pair(simd_load(c + 1), bias, 1, 1));
}

SIMD_INLINE __m256i mean(simd_rows rows, size_t x)
{
    /* n * 7282 >> 16 is n / 9 for every n up to 9 * 255 + 4. */
    __m256i ninth = _mm256_set1_epi16(7282);
    simd_wide sum = sum3x3(rows, x, 1, 4);
    return _mm256_packus_epi16(_mm256_mulhi_epu16(sum.low, ninth),
                               _mm256_mulhi_epu16(sum.high, ninth));
}

SIMD_INLINE __m256i gaussian(simd_rows rows, size_t x)
{
    simd_wide sum = sum3x3(rows, x, 2, 8);
    return _mm256_packus_epi16(_mm256_srli_epi16(sum.low, 4), _mm256_srli_epi16(sum.high, 4));
}

SIMD_INLINE __m256i least(__m256i a, __m256i b)
{
    return _mm256_min_epu8(a, b);
}

SIMD_INLINE __m256i most(__m256i a, __m256i b)
{
    return _mm256_max_epu8(a, b);
}

SIMD_INLINE __m256i median_of_three(__m256i a, __m256i b, __m256i c)
{
    return most(least(a, b), least(most(a, b), c));
}

/* Three vertical neighbours in order. */
typedef struct {
    __m256i low, middle, high;
} sorted;

SIMD_INLINE sorted sort_column(simd_rows rows, size_t x)
{
    __m256i a = simd_load(rows.above + x);
    __m256i b = simd_load(rows.at + x);
    __m256i c = simd_load(rows.below + x);
    __m256i low = least(a, b), high = most(a, b);
    __m256i rest = least(high, c);
    sorted column = { least(low, rest), most(low, rest), most(high, c) };
    return column;
}

/* The same selection as in blur.h. */
SIMD_INLINE __m256i median(simd_rows rows, size_t x)
{
    sorted l = sort_column(rows, x - 1), c = sort_column(rows, x), r = sort_column(rows, x + 1);
    return median_of_three(most(most(l.low, c.low), r.low),
                           median_of_three(l.middle, c.middle, r.middle),
                           least(least(l.high, c.high), r.high));
}

SIMD_INLINE __m256i median_rhomb(simd_rows rows, size_t x)
{
    __m256i up = simd_load(rows.above + x), down = simd_load(rows.below + x);
    __m256i left = simd_load(rows.at + x - 1), right = simd_load(rows.at + x + 1);
    __m256i low = most(least(up, down), least(left, right));
    __m256i high = least(most(up, down), most(left, right));
    return median_of_three(low, simd_load(rows.at + x), high);
}

void simd_mean3x3_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                       uint8_t *dst, size_t dst_stride)
{
    filter_plane(src, src_stride, w, h, dst, dst_stride, mean, simd_mean3x3_pixel);
}

void simd_gaussian3x3_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                           uint8_t *dst, size_t dst_stride)
{
    filter_plane(src, src_stride, w, h, dst, dst_stride, gaussian, simd_gaussian3x3_pixel);
}

void simd_median3x3_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                         uint8_t *dst, size_t dst_stride)
{
    filter_plane(src, src_stride, w, h, dst, dst_stride, median, simd_median3x3_pixel);
}

void simd_median_rhomb3x3_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                               uint8_t *dst, size_t dst_stride)
{
    filter_plane(src, src_stride, w, h, dst, dst_stride, median_rhomb, simd_median_rhomb3x3_pixel);
}
