#include "simd.h"

#include "segmentation.h"

void simd_segmentation_change_index(uint8_t *mask, size_t mask_stride, size_t w, size_t h,
                                    uint8_t old_index, uint8_t new_index)
{
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++) {
            uint8_t *at = &mask[y * mask_stride + x];
            *at = *at == old_index ? new_index : *at;
        }
}

void simd_segmentation_fill_holes(uint8_t *mask, size_t mask_stride, size_t w, size_t h,
                                  uint8_t index)
{
    for (size_t y = 0; y < h; y++) {
        simd_rows rows = simd_rows_around(mask, mask_stride, h, y);
        for (size_t x = 0; x < w; x++) {
            int hole = simd_is_hole(rows, simd_columns_around(w, x), index);
            uint8_t *at = &mask[y * mask_stride + x];
            *at = hole ? index : *at;
        }
    }
}

void simd_segmentation_propagate2x2(const uint8_t *parent, size_t parent_stride,
                                    const uint8_t *difference, size_t difference_stride,
                                    uint8_t *child, size_t child_stride, size_t w, size_t h,
                                    uint8_t index, uint8_t invalid, uint8_t empty,
                                    uint8_t threshold)
{
    simd_propagation how = { index, invalid, empty, threshold };

    for (size_t y = 0; y < h; y++) {
        simd_parents rows = simd_parents_near(parent, parent_stride, h, y);
        for (size_t x = 0; x < w; x++) {
            uint8_t *at = &child[y * child_stride + x];
            *at = simd_propagate_pixel(rows, w, x, *at, difference[y * difference_stride + x],
                                       how);
        }
    }
}
