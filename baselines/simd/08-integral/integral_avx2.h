/* Integral images for processors with AVX2; same contracts as in simd.h. */
#ifndef SIMD_INTEGRAL_AVX2_H
#define SIMD_INTEGRAL_AVX2_H

#include <stddef.h>
#include <stdint.h>

void simd_integral_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h, uint32_t *sum,
                        size_t sum_stride);
void simd_integral_squares_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                                uint32_t *sum, size_t sum_stride, uint64_t *squares,
                                size_t squares_stride);

#endif
