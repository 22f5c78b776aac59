#include "simd.h"

void simd_integral(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                   uint32_t *sum, size_t sum_stride)
{
    for (size_t x = 0; x <= w; x++)
        sum[x] = 0;
    for (size_t y = 0; y < h; y++) {
        const uint8_t *row = src + y * src_stride;
        const uint32_t *above = sum + y * sum_stride;
        uint32_t *out = sum + (y + 1) * sum_stride;
        uint32_t total = 0;

        out[0] = 0;
        for (size_t x = 0; x < w; x++) {
            total += row[x];
            out[x + 1] = above[x + 1] + total;
        }
    }
}

void simd_integral_squares(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                           uint32_t *sum, size_t sum_stride,
                           uint64_t *squares, size_t squares_stride)
{
    for (size_t x = 0; x <= w; x++) {
        sum[x] = 0;
        squares[x] = 0;
    }
    for (size_t y = 0; y < h; y++) {
        const uint8_t *row = src + y * src_stride;
        const uint32_t *above = sum + y * sum_stride;
        const uint64_t *squares_above = squares + y * squares_stride;
        uint32_t *out = sum + (y + 1) * sum_stride;
        uint64_t *squares_out = squares + (y + 1) * squares_stride;
        uint32_t total = 0;
        uint64_t total_squares = 0;

        out[0] = 0;
        squares_out[0] = 0;
        for (size_t x = 0; x < w; x++) {
            total += row[x];
            total_squares += (unsigned)(row[x] * row[x]);
            out[x + 1] = above[x + 1] + total;
            squares_out[x + 1] = squares_above[x + 1] + total_squares;
        }
    }
}
