/* The blur family for processors with AVX2; same contracts as in simd.h. */
#ifndef SIMD_BLUR_AVX2_H
#define SIMD_BLUR_AVX2_H

#include <stddef.h>
#include <stdint.h>

void simd_mean3x3_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                       uint8_t *dst, size_t dst_stride);
void simd_gaussian3x3_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                           uint8_t *dst, size_t dst_stride);
void simd_median3x3_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                         uint8_t *dst, size_t dst_stride);
void simd_median_rhomb3x3_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                               uint8_t *dst, size_t dst_stride);

#endif
