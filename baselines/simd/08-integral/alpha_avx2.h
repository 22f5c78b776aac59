/* Alpha blending for processors with AVX2; same contracts as in simd.h. */
#ifndef SIMD_ALPHA_AVX2_H
#define SIMD_ALPHA_AVX2_H

#include <stddef.h>
#include <stdint.h>

void simd_alpha_blending_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                              const uint8_t *alpha, size_t alpha_stride, uint8_t *dst,
                              size_t dst_stride);
void simd_alpha_premultiply_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                                 uint8_t *dst, size_t dst_stride);
void simd_alpha_unpremultiply_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                                   uint8_t *dst, size_t dst_stride);

#endif
