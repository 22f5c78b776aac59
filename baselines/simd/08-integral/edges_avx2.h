/* The edges family for processors with AVX2; same contracts as in simd.h. */
#ifndef SIMD_EDGES_AVX2_H
#define SIMD_EDGES_AVX2_H

#include <stddef.h>
#include <stdint.h>

void simd_sobel_dx_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                        int16_t *dst, size_t dst_stride);
void simd_sobel_dy_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                        int16_t *dst, size_t dst_stride);
void simd_sobel_dx_abs_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                            uint16_t *dst, size_t dst_stride);
void simd_sobel_dy_abs_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                            uint16_t *dst, size_t dst_stride);
uint64_t simd_sobel_dx_abs_sum_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h);
uint64_t simd_sobel_dy_abs_sum_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h);
void simd_laplace_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                       int16_t *dst, size_t dst_stride);

#endif
