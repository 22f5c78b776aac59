#include "simd.h"

#include "background.h"

void simd_background_grow_slow(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                               uint8_t *lo, size_t lo_stride, uint8_t *hi, size_t hi_stride)
{
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++)
            simd_grow_slow_pixel(src[y * src_stride + x], &lo[y * lo_stride + x],
                                 &hi[y * hi_stride + x]);
}

void simd_background_grow_fast(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                               uint8_t *lo, size_t lo_stride, uint8_t *hi, size_t hi_stride)
{
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++)
            simd_grow_fast_pixel(src[y * src_stride + x], &lo[y * lo_stride + x],
                                 &hi[y * hi_stride + x]);
}

void simd_background_count(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                           const uint8_t *lo, size_t lo_stride,
                           const uint8_t *hi, size_t hi_stride,
                           uint8_t *lo_count, size_t lo_count_stride,
                           uint8_t *hi_count, size_t hi_count_stride)
{
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++)
            simd_count_pixel(src[y * src_stride + x], lo[y * lo_stride + x],
                             hi[y * hi_stride + x], &lo_count[y * lo_count_stride + x],
                             &hi_count[y * hi_count_stride + x]);
}

void simd_background_adjust(uint8_t *lo_count, size_t lo_count_stride,
                            uint8_t *hi_count, size_t hi_count_stride,
                            size_t w, size_t h, uint8_t threshold,
                            uint8_t *lo, size_t lo_stride, uint8_t *hi, size_t hi_stride)
{
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++)
            simd_adjust_pixel(&lo_count[y * lo_count_stride + x],
                              &hi_count[y * hi_count_stride + x], threshold,
                              &lo[y * lo_stride + x], &hi[y * hi_stride + x]);
}

void simd_background_shift(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                           uint8_t *lo, size_t lo_stride, uint8_t *hi, size_t hi_stride)
{
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++)
            simd_shift_pixel(src[y * src_stride + x], &lo[y * lo_stride + x],
                             &hi[y * hi_stride + x]);
}

void simd_add_feature_difference(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                                 const uint8_t *lo, size_t lo_stride,
                                 const uint8_t *hi, size_t hi_stride, uint16_t factor,
                                 uint16_t *difference, size_t difference_stride)
{
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++) {
            uint16_t *at = &difference[y * difference_stride + x];
            *at = simd_feature_difference_pixel(src[y * src_stride + x], lo[y * lo_stride + x],
                                                hi[y * hi_stride + x], factor, *at);
        }
}

uint64_t simd_abs_difference_sum(const uint8_t *a, size_t a_stride,
                                 const uint8_t *b, size_t b_stride, size_t w, size_t h)
{
    uint64_t sum = 0;

    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++)
            sum += simd_abs_difference(a[y * a_stride + x], b[y * b_stride + x]);
    return sum;
}

void simd_abs_difference_sums3x3(const uint8_t *a, size_t a_stride,
                                 const uint8_t *b, size_t b_stride, size_t w, size_t h,
                                 uint64_t *sums)
{
    for (int i = 0; i < 9; i++)
        sums[i] = 0;
    for (size_t y = 0; y < h; y++) {
        simd_rows rows = simd_rows_around(b, b_stride, h, y);
        for (size_t x = 0; x < w; x++)
            simd_add_differences3x3(a[y * a_stride + x], rows, simd_columns_around(w, x), sums);
    }
}
