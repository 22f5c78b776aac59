#include "simd.h"

#include "cpu.h"
#include "resizing.h"
#include "resizing_avx2.h"

void simd_reduce2x2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                    uint8_t *dst, size_t dst_stride)
{
    if (simd_has_avx2()) {
        simd_reduce2x2_avx2(src, src_stride, w, h, dst, dst_stride);
        return;
    }
    for (size_t y = 0; y < h; y += 2) {
        simd_rows rows = simd_rows_around(src, src_stride, h, y);
        uint8_t *row = dst + y / 2 * dst_stride;
        for (size_t x = 0; x < w; x += 2)
            row[x / 2] = simd_reduce2x2_pixel(rows, simd_columns_around(w, x));
    }
}

void simd_reduce3x3(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                    uint8_t *dst, size_t dst_stride)
{
    if (simd_has_avx2()) {
        simd_reduce3x3_avx2(src, src_stride, w, h, dst, dst_stride);
        return;
    }
    for (size_t y = 0; y < h; y += 2) {
        simd_rows rows = simd_rows_around(src, src_stride, h, y);
        uint8_t *row = dst + y / 2 * dst_stride;
        for (size_t x = 0; x < w; x += 2)
            row[x / 2] = simd_reduce3x3_pixel(rows, simd_columns_around(w, x));
    }
}

/* Columns whose positions are computed once and then used for every row. */
enum { BLOCK = 256 };

void simd_resize_bilinear(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                          uint8_t *dst, size_t dst_stride, size_t dst_w, size_t dst_h)
{
    simd_position columns[BLOCK];

    if (simd_has_avx2()) {
        simd_resize_bilinear_avx2(src, src_stride, w, h, dst, dst_stride, dst_w, dst_h);
        return;
    }
    for (size_t start = 0; start < dst_w; start += BLOCK) {
        size_t count = dst_w - start < BLOCK ? dst_w - start : BLOCK;
        for (size_t i = 0; i < count; i++)
            columns[i] = simd_position_of(start + i, w, dst_w);

        for (size_t y = 0; y < dst_h; y++) {
            simd_position row = simd_position_of(y, h, dst_h);
            const uint8_t *top = src + row.first * src_stride;
            const uint8_t *bottom = row.weight > 0 ? top + src_stride : top;
            uint8_t *out = dst + y * dst_stride + start;

            for (size_t i = 0; i < count; i++) {
                size_t x = columns[i].first;
                unsigned f = columns[i].weight;
                size_t next = x + (f > 0);
                unsigned t = (128 - f) * top[x] + f * top[next];
                unsigned b = (128 - f) * bottom[x] + f * bottom[next];
                out[i] = (uint8_t)(((128 - row.weight) * t + row.weight * b + 8192) >> 14);
            }
        }
    }
}
