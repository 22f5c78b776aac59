/* The segmentation family for processors with AVX2; same contracts as in simd.h. */
#ifndef SIMD_SEGMENTATION_AVX2_H
#define SIMD_SEGMENTATION_AVX2_H

#include <stddef.h>
#include <stdint.h>

void simd_segmentation_change_index_avx2(uint8_t *mask, size_t mask_stride, size_t w, size_t h,
                                         uint8_t old_index, uint8_t new_index);
void simd_segmentation_fill_holes_avx2(uint8_t *mask, size_t mask_stride, size_t w, size_t h,
                                       uint8_t index);
void simd_segmentation_propagate2x2_avx2(const uint8_t *parent, size_t parent_stride,
                                         const uint8_t *difference, size_t difference_stride,
                                         uint8_t *child, size_t child_stride, size_t w, size_t h,
                                         uint8_t index, uint8_t invalid, uint8_t empty,
                                         uint8_t threshold);

#endif
