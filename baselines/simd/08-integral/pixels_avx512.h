/* The pixel-format family for processors with AVX-512 VBMI; same contracts as in simd.h. */
#ifndef SIMD_PIXELS_AVX512_H
#define SIMD_PIXELS_AVX512_H

#include <stddef.h>
#include <stdint.h>

void simd_bgr_to_gray_avx512(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                             uint8_t *dst, size_t dst_stride);
void simd_bgr_to_bgra_avx512(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                             uint8_t alpha, uint8_t *dst, size_t dst_stride);
void simd_bgr_to_yuv420p_avx512(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                                uint8_t *y, size_t y_stride, uint8_t *u, size_t u_stride,
                                uint8_t *v, size_t v_stride);
void simd_yuv420p_to_bgr_avx512(const uint8_t *y, size_t y_stride, const uint8_t *u,
                                size_t u_stride, const uint8_t *v, size_t v_stride, size_t w,
                                size_t h, uint8_t *dst, size_t dst_stride);

#endif
