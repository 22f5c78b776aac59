/* The resizing family for processors with AVX2; same contracts as in simd.h. */
#ifndef SIMD_RESIZING_AVX2_H
#define SIMD_RESIZING_AVX2_H

#include <stddef.h>
#include <stdint.h>

void simd_reduce2x2_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                         uint8_t *dst, size_t dst_stride);
void simd_reduce3x3_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                         uint8_t *dst, size_t dst_stride);
void simd_resize_bilinear_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                               uint8_t *dst, size_t dst_stride, size_t dst_w, size_t dst_h);

#endif
