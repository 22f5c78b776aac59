#include "simd.h"

#include "cpu.h"
#include "edges.h"
#include "edges_avx2.h"

void simd_sobel_dx(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                   int16_t *dst, size_t dst_stride)
{
    if (simd_has_avx2()) {
        simd_sobel_dx_avx2(src, src_stride, w, h, dst, dst_stride);
        return;
    }
    for (size_t y = 0; y < h; y++) {
        simd_rows rows = simd_rows_around(src, src_stride, h, y);
        int16_t *row = dst + y * dst_stride;
        for (size_t x = 0; x < w; x++)
            row[x] = simd_sobel_dx_pixel(rows, simd_columns_around(w, x));
    }
}

void simd_sobel_dy(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                   int16_t *dst, size_t dst_stride)
{
    if (simd_has_avx2()) {
        simd_sobel_dy_avx2(src, src_stride, w, h, dst, dst_stride);
        return;
    }
    for (size_t y = 0; y < h; y++) {
        simd_rows rows = simd_rows_around(src, src_stride, h, y);
        int16_t *row = dst + y * dst_stride;
        for (size_t x = 0; x < w; x++)
            row[x] = simd_sobel_dy_pixel(rows, simd_columns_around(w, x));
    }
}

void simd_sobel_dx_abs(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                       uint16_t *dst, size_t dst_stride)
{
    if (simd_has_avx2()) {
        simd_sobel_dx_abs_avx2(src, src_stride, w, h, dst, dst_stride);
        return;
    }
    for (size_t y = 0; y < h; y++) {
        simd_rows rows = simd_rows_around(src, src_stride, h, y);
        uint16_t *row = dst + y * dst_stride;
        for (size_t x = 0; x < w; x++)
            row[x] = simd_magnitude(simd_sobel_dx_pixel(rows, simd_columns_around(w, x)));
    }
}

void simd_sobel_dy_abs(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                       uint16_t *dst, size_t dst_stride)
{
    if (simd_has_avx2()) {
        simd_sobel_dy_abs_avx2(src, src_stride, w, h, dst, dst_stride);
        return;
    }
    for (size_t y = 0; y < h; y++) {
        simd_rows rows = simd_rows_around(src, src_stride, h, y);
        uint16_t *row = dst + y * dst_stride;
        for (size_t x = 0; x < w; x++)
            row[x] = simd_magnitude(simd_sobel_dy_pixel(rows, simd_columns_around(w, x)));
    }
}

uint64_t simd_sobel_dx_abs_sum(const uint8_t *src, size_t src_stride, size_t w, size_t h)
{
    uint64_t sum = 0;

    if (simd_has_avx2())
        return simd_sobel_dx_abs_sum_avx2(src, src_stride, w, h);
    for (size_t y = 0; y < h; y++) {
        simd_rows rows = simd_rows_around(src, src_stride, h, y);
        for (size_t x = 0; x < w; x++)
            sum += simd_magnitude(simd_sobel_dx_pixel(rows, simd_columns_around(w, x)));
    }
    return sum;
}

uint64_t simd_sobel_dy_abs_sum(const uint8_t *src, size_t src_stride, size_t w, size_t h)
{
    uint64_t sum = 0;

    if (simd_has_avx2())
        return simd_sobel_dy_abs_sum_avx2(src, src_stride, w, h);
    for (size_t y = 0; y < h; y++) {
        simd_rows rows = simd_rows_around(src, src_stride, h, y);
        for (size_t x = 0; x < w; x++)
            sum += simd_magnitude(simd_sobel_dy_pixel(rows, simd_columns_around(w, x)));
    }
    return sum;
}

void simd_laplace(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                  int16_t *dst, size_t dst_stride)
{
    if (simd_has_avx2()) {
        simd_laplace_avx2(src, src_stride, w, h, dst, dst_stride);
        return;
    }
    for (size_t y = 0; y < h; y++) {
        simd_rows rows = simd_rows_around(src, src_stride, h, y);
        int16_t *row = dst + y * dst_stride;
        for (size_t x = 0; x < w; x++)
            row[x] = simd_laplace_pixel(rows, simd_columns_around(w, x));
    }
}
