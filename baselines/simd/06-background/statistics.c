#include "simd.h"

#include "cpu.h"
#include "statistics.h"
#include "statistics_avx2.h"
#include "statistics_avx512.h"

void simd_min_max_sum(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                      uint8_t *min, uint8_t *max, uint64_t *sum)
{
    if (simd_has_avx2()) {
        simd_min_max_sum_avx2(src, src_stride, w, h, min, max, sum);
        return;
    }
    uint8_t least = 255, largest = 0;
    uint64_t total = 0;

    for (size_t y = 0; y < h; y++) {
        const uint8_t *row = src + y * src_stride;
        for (size_t x = 0; x < w; x++) {
            least = row[x] < least ? row[x] : least;
            largest = row[x] > largest ? row[x] : largest;
            total += row[x];
        }
    }
    *min = least;
    *max = largest;
    *sum = total;
}

void simd_row_sums(const uint8_t *src, size_t src_stride, size_t w, size_t h, uint32_t *sums)
{
    if (simd_has_avx2()) {
        simd_row_sums_avx2(src, src_stride, w, h, sums);
        return;
    }
    for (size_t y = 0; y < h; y++) {
        const uint8_t *row = src + y * src_stride;
        uint32_t sum = 0;
        for (size_t x = 0; x < w; x++)
            sum += row[x];
        sums[y] = sum;
    }
}

void simd_column_sums(const uint8_t *src, size_t src_stride, size_t w, size_t h, uint32_t *sums)
{
    if (simd_has_avx2()) {
        simd_column_sums_avx2(src, src_stride, w, h, sums);
        return;
    }
    for (size_t x = 0; x < w; x++)
        sums[x] = 0;
    for (size_t y = 0; y < h; y++) {
        const uint8_t *row = src + y * src_stride;
        for (size_t x = 0; x < w; x++)
            sums[x] += row[x];
    }
}

void simd_moments(const uint8_t *src, size_t src_stride, size_t w, size_t h, uint8_t index,
                  uint64_t *moments)
{
    if (simd_has_avx2()) {
        simd_moments_avx2(src, src_stride, w, h, index, moments);
        return;
    }
    for (int i = 0; i < 6; i++)
        moments[i] = 0;
    for (size_t y = 0; y < h; y++) {
        const uint8_t *row = src + y * src_stride;
        for (size_t x = 0; x < w; x++)
            if (row[x] == index)
                simd_add_moments(moments, x, y);
    }
}

uint64_t simd_correlation_sum(const uint8_t *a, size_t a_stride,
                              const uint8_t *b, size_t b_stride, size_t w, size_t h)
{
    if (simd_has_avx2())
        return simd_correlation_sum_avx2(a, a_stride, b, b_stride, w, h);
    uint64_t sum = 0;

    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++)
            sum += (unsigned)(a[y * a_stride + x] * b[y * b_stride + x]);
    return sum;
}

uint64_t simd_squared_difference_sum(const uint8_t *a, size_t a_stride,
                                     const uint8_t *b, size_t b_stride, size_t w, size_t h)
{
    if (simd_has_avx2())
        return simd_squared_difference_sum_avx2(a, a_stride, b, b_stride, w, h);
    uint64_t sum = 0;

    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++)
            sum += simd_squared_difference(a[y * a_stride + x], b[y * b_stride + x]);
    return sum;
}

void simd_histogram(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                    uint32_t *histogram)
{
    if (simd_has_avx2()) {
        simd_histogram_avx2(src, src_stride, w, h, histogram);
        return;
    }
    for (int i = 0; i < 256; i++)
        histogram[i] = 0;
    for (size_t y = 0; y < h; y++) {
        const uint8_t *row = src + y * src_stride;
        for (size_t x = 0; x < w; x++)
            histogram[row[x]]++;
    }
}

void simd_look_up(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                  const uint8_t *table, uint8_t *dst, size_t dst_stride)
{
    if (simd_has_avx512_vbmi()) {
        simd_look_up_avx512(src, src_stride, w, h, table, dst, dst_stride);
        return;
    }
    if (simd_has_avx2()) {
        simd_look_up_avx2(src, src_stride, w, h, table, dst, dst_stride);
        return;
    }
    for (size_t y = 0; y < h; y++) {
        const uint8_t *row = src + y * src_stride;
        uint8_t *out = dst + y * dst_stride;
        for (size_t x = 0; x < w; x++)
            out[x] = table[row[x]];
    }
}
