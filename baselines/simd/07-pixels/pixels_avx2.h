/* The pixel-format family for processors with AVX2; same contracts as in simd.h. */
#ifndef SIMD_PIXELS_AVX2_H
#define SIMD_PIXELS_AVX2_H

#include <stddef.h>
#include <stdint.h>

void simd_bgr_to_gray_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h, uint8_t *dst,
                           size_t dst_stride);
void simd_gray_to_bgr_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h, uint8_t *dst,
                           size_t dst_stride);
void simd_bgr_to_bgra_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h, uint8_t alpha,
                           uint8_t *dst, size_t dst_stride);
void simd_deinterleave_bgr_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                                uint8_t *b, size_t b_stride, uint8_t *g, size_t g_stride,
                                uint8_t *r, size_t r_stride);
void simd_interleave_bgr_avx2(const uint8_t *b, size_t b_stride, const uint8_t *g, size_t g_stride,
                              const uint8_t *r, size_t r_stride, size_t w, size_t h, uint8_t *dst,
                              size_t dst_stride);
void simd_bgr_to_yuv420p_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h, uint8_t *y,
                              size_t y_stride, uint8_t *u, size_t u_stride, uint8_t *v,
                              size_t v_stride);
void simd_yuv420p_to_bgr_avx2(const uint8_t *y, size_t y_stride, const uint8_t *u, size_t u_stride,
                              const uint8_t *v, size_t v_stride, size_t w, size_t h, uint8_t *dst,
                              size_t dst_stride);

#endif
