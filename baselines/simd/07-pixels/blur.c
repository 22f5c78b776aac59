#include "simd.h"

#include "cpu.h"
#include "blur.h"
#include "blur_avx2.h"

void simd_mean3x3(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                  uint8_t *dst, size_t dst_stride)
{
    if (simd_has_avx2()) {
        simd_mean3x3_avx2(src, src_stride, w, h, dst, dst_stride);
        return;
    }
    for (size_t y = 0; y < h; y++) {
        simd_rows rows = simd_rows_around(src, src_stride, h, y);
        uint8_t *row = dst + y * dst_stride;
        for (size_t x = 0; x < w; x++)
            row[x] = simd_mean3x3_pixel(rows, simd_columns_around(w, x));
    }
}

void simd_gaussian3x3(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                      uint8_t *dst, size_t dst_stride)
{
    if (simd_has_avx2()) {
        simd_gaussian3x3_avx2(src, src_stride, w, h, dst, dst_stride);
        return;
    }
    for (size_t y = 0; y < h; y++) {
        simd_rows rows = simd_rows_around(src, src_stride, h, y);
        uint8_t *row = dst + y * dst_stride;
        for (size_t x = 0; x < w; x++)
            row[x] = simd_gaussian3x3_pixel(rows, simd_columns_around(w, x));
    }
}

void simd_median3x3(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                    uint8_t *dst, size_t dst_stride)
{
    if (simd_has_avx2()) {
        simd_median3x3_avx2(src, src_stride, w, h, dst, dst_stride);
        return;
    }
    for (size_t y = 0; y < h; y++) {
        simd_rows rows = simd_rows_around(src, src_stride, h, y);
        uint8_t *row = dst + y * dst_stride;
        for (size_t x = 0; x < w; x++)
            row[x] = simd_median3x3_pixel(rows, simd_columns_around(w, x));
    }
}

void simd_median_rhomb3x3(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                          uint8_t *dst, size_t dst_stride)
{
    if (simd_has_avx2()) {
        simd_median_rhomb3x3_avx2(src, src_stride, w, h, dst, dst_stride);
        return;
    }
    for (size_t y = 0; y < h; y++) {
        simd_rows rows = simd_rows_around(src, src_stride, h, y);
        uint8_t *row = dst + y * dst_stride;
        for (size_t x = 0; x < w; x++)
            row[x] = simd_median_rhomb3x3_pixel(rows, simd_columns_around(w, x));
    }
}
