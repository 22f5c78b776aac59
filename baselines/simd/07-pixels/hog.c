#include "simd.h"

#include "cpu.h"
#include "hog.h"
#include "hog_avx2.h"

void simd_hog_directions(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                         uint8_t *direction, size_t direction_stride,
                         uint16_t *magnitude, size_t magnitude_stride)
{
    if (simd_has_avx2()) {
        simd_hog_directions_avx2(src, src_stride, w, h, direction, direction_stride, magnitude,
                                 magnitude_stride);
        return;
    }
    for (size_t y = 0; y < h; y++) {
        simd_rows rows = simd_rows_around(src, src_stride, h, y);
        for (size_t x = 0; x < w; x++) {
            simd_gradient gradient = simd_gradient_pixel(rows, simd_columns_around(w, x));
            direction[y * direction_stride + x] = gradient.direction;
            magnitude[y * magnitude_stride + x] = gradient.magnitude;
        }
    }
}

void simd_hog_histograms(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                         uint16_t *dst, size_t dst_stride)
{
    if (simd_has_avx2()) {
        simd_hog_histograms_avx2(src, src_stride, w, h, dst, dst_stride);
        return;
    }
    size_t entries = (w + SIMD_HOG_CELL - 1) / SIMD_HOG_CELL * SIMD_HOG_DIRECTIONS;

    for (size_t y = 0; y < h; y++) {
        simd_rows rows = simd_rows_around(src, src_stride, h, y);
        uint16_t *row = dst + y / SIMD_HOG_CELL * dst_stride;

        if (y % SIMD_HOG_CELL == 0)
            for (size_t i = 0; i < entries; i++)
                row[i] = 0;
        for (size_t x = 0; x < w; x++) {
            simd_gradient gradient = simd_gradient_pixel(rows, simd_columns_around(w, x));
            uint16_t *cell = row + x / SIMD_HOG_CELL * SIMD_HOG_DIRECTIONS;
            cell[gradient.direction] = (uint16_t)(cell[gradient.direction] + gradient.magnitude);
        }
    }
}

void simd_hog_features(const uint16_t *src, size_t src_stride, size_t cells_w, size_t cells_h,
                       uint8_t *dst, size_t dst_stride)
{
    if (simd_has_avx2()) {
        simd_hog_features_avx2(src, src_stride, cells_w, cells_h, dst, dst_stride);
        return;
    }
    enum { PAIR = 2 * SIMD_HOG_DIRECTIONS };

    for (size_t y = 0; y + 1 < cells_h; y++)
        for (size_t x = 0; x + 1 < cells_w; x++) {
            const uint16_t *upper = src + y * src_stride + x * SIMD_HOG_DIRECTIONS;
            const uint16_t *lower = upper + src_stride;
            uint8_t *block = dst + y * dst_stride + x * SIMD_HOG_BLOCK;
            uint64_t squares = 0;

            for (size_t i = 0; i < PAIR; i++) {
                squares += (uint64_t)upper[i] * upper[i];
                squares += (uint64_t)lower[i] * lower[i];
            }
            uint32_t norm = simd_hog_norm(squares);
            for (size_t i = 0; i < PAIR; i++) {
                block[i] = simd_hog_feature(upper[i], norm);
                block[PAIR + i] = simd_hog_feature(lower[i], norm);
            }
        }
}

void simd_hog_scores(const uint8_t *src, size_t src_stride, size_t blocks_w, size_t blocks_h,
                     const int8_t *weights, size_t window_w, size_t window_h,
                     int32_t *dst, size_t dst_stride)
{
    if (simd_has_avx2()) {
        simd_hog_scores_avx2(src, src_stride, blocks_w, blocks_h, weights, window_w, window_h, dst,
                             dst_stride);
        return;
    }
    size_t length = window_w * SIMD_HOG_BLOCK;

    for (size_t y = 0; y + window_h <= blocks_h; y++)
        for (size_t x = 0; x + window_w <= blocks_w; x++) {
            int32_t score = 0;
            for (size_t j = 0; j < window_h; j++) {
                const uint8_t *row = src + (y + j) * src_stride + x * SIMD_HOG_BLOCK;
                for (size_t i = 0; i < length; i++)
                    score += weights[j * length + i] * row[i];
            }
            dst[y * dst_stride + x] = score;
        }
}
