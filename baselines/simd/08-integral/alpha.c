#include "simd.h"

#include "cpu.h"
#include "alpha.h"
#include "alpha_avx2.h"

void simd_alpha_blending(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                         const uint8_t *alpha, size_t alpha_stride,
                         uint8_t *dst, size_t dst_stride)
{
    if (simd_has_avx2()) {
        simd_alpha_blending_avx2(src, src_stride, w, h, alpha, alpha_stride, dst, dst_stride);
        return;
    }
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++) {
            uint8_t *at = &dst[y * dst_stride + x];
            *at = simd_blend_pixel(src[y * src_stride + x], alpha[y * alpha_stride + x], *at);
        }
}

void simd_alpha_premultiply(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                            uint8_t *dst, size_t dst_stride)
{
    if (simd_has_avx2()) {
        simd_alpha_premultiply_avx2(src, src_stride, w, h, dst, dst_stride);
        return;
    }
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++)
            simd_premultiply_pixel(src + y * src_stride + 4 * x, dst + y * dst_stride + 4 * x);
}

void simd_alpha_unpremultiply(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                              uint8_t *dst, size_t dst_stride)
{
    if (simd_has_avx2()) {
        simd_alpha_unpremultiply_avx2(src, src_stride, w, h, dst, dst_stride);
        return;
    }
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++)
            simd_unpremultiply_pixel(src + y * src_stride + 4 * x, dst + y * dst_stride + 4 * x);
}
