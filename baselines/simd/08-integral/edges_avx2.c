#include "edges_avx2.h"

#include "avx2.h"
#include "edges.h"

/* 32 outputs, from the column of the first. */
typedef simd_wide filter(simd_rows rows, size_t column);
typedef int16_t filter_pixel(simd_rows rows, simd_columns columns);

SIMD_INLINE simd_wide sobel_dx(simd_rows rows, size_t x)
{
    const uint8_t *a = rows.above + x, *b = rows.at + x, *c = rows.below + x;
    simd_wide outer = simd_add(simd_pair(simd_load(a + 1), simd_load(a - 1), 1, -1),
                               simd_pair(simd_load(c + 1), simd_load(c - 1), 1, -1));
    return simd_add(outer, simd_pair(simd_load(b + 1), simd_load(b - 1), 2, -2));
}

SIMD_INLINE simd_wide sobel_dy(simd_rows rows, size_t x)
{
    const uint8_t *a = rows.above + x, *c = rows.below + x;
    simd_wide outer = simd_add(simd_pair(simd_load(c - 1), simd_load(a - 1), 1, -1),
                               simd_pair(simd_load(c + 1), simd_load(a + 1), 1, -1));
    return simd_add(outer, simd_pair(simd_load(c), simd_load(a), 2, -2));
}

SIMD_INLINE simd_wide laplace(simd_rows rows, size_t x)
{
    const uint8_t *a = rows.above + x, *b = rows.at + x, *c = rows.below + x;
    simd_wide sum = simd_pair(simd_load(a - 1), simd_load(a), -1, -1);
    sum = simd_add(sum, simd_pair(simd_load(a + 1), simd_load(b - 1), -1, -1));
    sum = simd_add(sum, simd_pair(simd_load(b), simd_load(b + 1), 8, -1));
    sum = simd_add(sum, simd_pair(simd_load(c - 1), simd_load(c), -1, -1));
    return simd_add(sum, simd_pair(simd_load(c + 1), _mm256_setzero_si256(), -1, 0));
}

SIMD_INLINE simd_wide magnitude(simd_wide value)
{
    simd_wide result = { _mm256_abs_epi16(value.low), _mm256_abs_epi16(value.high) };
    return result;
}

SIMD_INLINE simd_wide sobel_dx_abs(simd_rows rows, size_t x)
{
    return magnitude(sobel_dx(rows, x));
}

SIMD_INLINE simd_wide sobel_dy_abs(simd_rows rows, size_t x)
{
    return magnitude(sobel_dy(rows, x));
}

/* The formulas again for single pixels; magnitudes are at most 1020 and fit. */
SIMD_INLINE int16_t sobel_dx_abs_pixel(simd_rows rows, simd_columns columns)
{
    return (int16_t)simd_magnitude(simd_sobel_dx_pixel(rows, columns));
}

SIMD_INLINE int16_t sobel_dy_abs_pixel(simd_rows rows, simd_columns columns)
{
    return (int16_t)simd_magnitude(simd_sobel_dy_pixel(rows, columns));
}

/* The first and the last column are computed alone, what lies between in vectors; the last vector
 * overlaps the one before it. */
SIMD_INLINE void filter_plane(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                              int16_t *dst, size_t dst_stride, filter *vector, filter_pixel *pixel)
{
    for (size_t y = 0; y < h; y++) {
        simd_rows rows = simd_rows_around(src, src_stride, h, y);
        int16_t *row = dst + y * dst_stride;

        if (w < 34) {
            for (size_t x = 0; x < w; x++)
                row[x] = pixel(rows, simd_columns_around(w, x));
            continue;
        }
        row[0] = pixel(rows, simd_columns_around(w, 0));
        for (size_t x = 1; x < w - 1; x += 32) {
            if (x > w - 33)
                x = w - 33;
            simd_store_wide(row + x, vector(rows, x));
        }
        row[w - 1] = pixel(rows, simd_columns_around(w, w - 1));
    }
}

/* Adds neighbouring values, giving 32-bit sums. */
SIMD_INLINE __m256i pairwise_sum(simd_wide value)
{
    return _mm256_madd_epi16(_mm256_add_epi16(value.low, value.high), _mm256_set1_epi16(1));
}

/* Sum of 32-bit lanes that are not negative. */
SIMD_INLINE uint64_t total(__m256i sum)
{
    __m256i zero = _mm256_setzero_si256();
    __m256i wide = _mm256_add_epi64(_mm256_unpacklo_epi32(sum, zero),
                                    _mm256_unpackhi_epi32(sum, zero));
    uint64_t lanes[4];
    simd_store(lanes, wide);
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

/* Loaded from 32 - n on: n bytes of 0, then ones. */
static const uint8_t MASK[64] = {
    [32] = 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
};

/* Sum of magnitudes. In a row's last vector those that the one before it has counted are masked. A
 * lane gains at most 4 * 1020 a vector: a row of 2^24 pixels stays below 2^31. */
SIMD_INLINE uint64_t sum_plane(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                               filter *vector, filter_pixel *pixel)
{
    uint64_t sum = 0;

    for (size_t y = 0; y < h; y++) {
        simd_rows rows = simd_rows_around(src, src_stride, h, y);
        size_t x = 1;

        if (w < 34) {
            for (x = 0; x < w; x++)
                sum += (uint64_t)pixel(rows, simd_columns_around(w, x));
            continue;
        }
        sum += (uint64_t)pixel(rows, simd_columns_around(w, 0));
        sum += (uint64_t)pixel(rows, simd_columns_around(w, w - 1));
        __m256i lanes = _mm256_setzero_si256();
        for (; x + 32 < w; x += 32)
            lanes = _mm256_add_epi32(lanes, pairwise_sum(vector(rows, x)));
        if (x < w - 1) {
            simd_wide last = vector(rows, w - 33);
            __m256i mask = simd_load(MASK + 32 - (x - (w - 33)));
            last.low = _mm256_and_si256(last.low, _mm256_unpacklo_epi8(mask, mask));
            last.high = _mm256_and_si256(last.high, _mm256_unpackhi_epi8(mask, mask));
            lanes = _mm256_add_epi32(lanes, pairwise_sum(last));
        }
        sum += total(lanes);
    }
    return sum;
}

void simd_sobel_dx_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                        int16_t *dst, size_t dst_stride)
{
    filter_plane(src, src_stride, w, h, dst, dst_stride, sobel_dx, simd_sobel_dx_pixel);
}

void simd_sobel_dy_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                        int16_t *dst, size_t dst_stride)
{
    filter_plane(src, src_stride, w, h, dst, dst_stride, sobel_dy, simd_sobel_dy_pixel);
}

void simd_sobel_dx_abs_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                            uint16_t *dst, size_t dst_stride)
{
    filter_plane(src, src_stride, w, h, (int16_t *)dst, dst_stride,
                 sobel_dx_abs, sobel_dx_abs_pixel);
}

void simd_sobel_dy_abs_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                            uint16_t *dst, size_t dst_stride)
{
    filter_plane(src, src_stride, w, h, (int16_t *)dst, dst_stride,
                 sobel_dy_abs, sobel_dy_abs_pixel);
}

void simd_laplace_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                       int16_t *dst, size_t dst_stride)
{
    filter_plane(src, src_stride, w, h, dst, dst_stride, laplace, simd_laplace_pixel);
}

uint64_t simd_sobel_dx_abs_sum_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h)
{
    return sum_plane(src, src_stride, w, h, sobel_dx_abs, sobel_dx_abs_pixel);
}

uint64_t simd_sobel_dy_abs_sum_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h)
{
    return sum_plane(src, src_stride, w, h, sobel_dy_abs, sobel_dy_abs_pixel);
}
