/* The HOG family for processors with AVX2; same contracts as in simd.h. */
#ifndef SIMD_HOG_AVX2_H
#define SIMD_HOG_AVX2_H

#include <stddef.h>
#include <stdint.h>

void simd_hog_directions_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                              uint8_t *direction, size_t direction_stride, uint16_t *magnitude,
                              size_t magnitude_stride);
void simd_hog_histograms_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                              uint16_t *dst, size_t dst_stride);
void simd_hog_features_avx2(const uint16_t *src, size_t src_stride, size_t cells_w, size_t cells_h,
                            uint8_t *dst, size_t dst_stride);
void simd_hog_scores_avx2(const uint8_t *src, size_t src_stride, size_t blocks_w, size_t blocks_h,
                          const int8_t *weights, size_t window_w, size_t window_h, int32_t *dst,
                          size_t dst_stride);

#endif
