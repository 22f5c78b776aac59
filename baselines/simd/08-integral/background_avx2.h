/* The background and motion family for processors with AVX2; same contracts as in simd.h. */
#ifndef SIMD_BACKGROUND_AVX2_H
#define SIMD_BACKGROUND_AVX2_H

#include <stddef.h>
#include <stdint.h>

void simd_background_grow_slow_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                                    uint8_t *lo, size_t lo_stride, uint8_t *hi, size_t hi_stride);
void simd_background_grow_fast_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                                    uint8_t *lo, size_t lo_stride, uint8_t *hi, size_t hi_stride);
void simd_background_count_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                                const uint8_t *lo, size_t lo_stride, const uint8_t *hi,
                                size_t hi_stride, uint8_t *lo_count, size_t lo_count_stride,
                                uint8_t *hi_count, size_t hi_count_stride);
void simd_background_adjust_avx2(uint8_t *lo_count, size_t lo_count_stride, uint8_t *hi_count,
                                 size_t hi_count_stride, size_t w, size_t h, uint8_t threshold,
                                 uint8_t *lo, size_t lo_stride, uint8_t *hi, size_t hi_stride);
void simd_background_shift_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                                uint8_t *lo, size_t lo_stride, uint8_t *hi, size_t hi_stride);
void simd_add_feature_difference_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                                      const uint8_t *lo, size_t lo_stride, const uint8_t *hi,
                                      size_t hi_stride, uint16_t factor, uint16_t *difference,
                                      size_t difference_stride);
uint64_t simd_abs_difference_sum_avx2(const uint8_t *a, size_t a_stride, const uint8_t *b,
                                      size_t b_stride, size_t w, size_t h);
void simd_abs_difference_sums3x3_avx2(const uint8_t *a, size_t a_stride, const uint8_t *b,
                                      size_t b_stride, size_t w, size_t h, uint64_t *sums);

#endif
