/* The statistics family for processors with AVX2; same contracts as in simd.h. */
#ifndef SIMD_STATISTICS_AVX2_H
#define SIMD_STATISTICS_AVX2_H

#include <stddef.h>
#include <stdint.h>

void simd_min_max_sum_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h, uint8_t *min,
                           uint8_t *max, uint64_t *sum);
void simd_row_sums_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h, uint32_t *sums);
void simd_column_sums_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                           uint32_t *sums);
void simd_moments_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h, uint8_t index,
                       uint64_t *moments);
uint64_t simd_correlation_sum_avx2(const uint8_t *a, size_t a_stride, const uint8_t *b,
                                   size_t b_stride, size_t w, size_t h);
uint64_t simd_squared_difference_sum_avx2(const uint8_t *a, size_t a_stride, const uint8_t *b,
                                          size_t b_stride, size_t w, size_t h);
void simd_histogram_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                         uint32_t *histogram);
void simd_look_up_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                       const uint8_t *table, uint8_t *dst, size_t dst_stride);

#endif
