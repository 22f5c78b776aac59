/* The statistics family for processors with AVX-512 VBMI; same contracts as in simd.h. */
#ifndef SIMD_STATISTICS_AVX512_H
#define SIMD_STATISTICS_AVX512_H

#include <stddef.h>
#include <stdint.h>

void simd_look_up_avx512(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                         const uint8_t *table, uint8_t *dst, size_t dst_stride);

#endif
