#include "simd.h"

#include "cpu.h"
#include "pixels.h"
#include "pixels_avx2.h"
#include "pixels_avx512.h"

void simd_bgr_to_gray(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                      uint8_t *dst, size_t dst_stride)
{
    if (simd_has_avx512_vbmi()) {
        simd_bgr_to_gray_avx512(src, src_stride, w, h, dst, dst_stride);
        return;
    }
    if (simd_has_avx2()) {
        simd_bgr_to_gray_avx2(src, src_stride, w, h, dst, dst_stride);
        return;
    }
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++)
            dst[y * dst_stride + x] = simd_gray(src + y * src_stride + 3 * x);
}

void simd_gray_to_bgr(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                      uint8_t *dst, size_t dst_stride)
{
    if (simd_has_avx2()) {
        simd_gray_to_bgr_avx2(src, src_stride, w, h, dst, dst_stride);
        return;
    }
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++) {
            uint8_t *bgr = dst + y * dst_stride + 3 * x;
            bgr[0] = bgr[1] = bgr[2] = src[y * src_stride + x];
        }
}

void simd_bgr_to_bgra(const uint8_t *src, size_t src_stride, size_t w, size_t h, uint8_t alpha,
                      uint8_t *dst, size_t dst_stride)
{
    if (simd_has_avx512_vbmi()) {
        simd_bgr_to_bgra_avx512(src, src_stride, w, h, alpha, dst, dst_stride);
        return;
    }
    if (simd_has_avx2()) {
        simd_bgr_to_bgra_avx2(src, src_stride, w, h, alpha, dst, dst_stride);
        return;
    }
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++) {
            const uint8_t *bgr = src + y * src_stride + 3 * x;
            uint8_t *bgra = dst + y * dst_stride + 4 * x;
            bgra[0] = bgr[0];
            bgra[1] = bgr[1];
            bgra[2] = bgr[2];
            bgra[3] = alpha;
        }
}

void simd_deinterleave_bgr(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                           uint8_t *b, size_t b_stride, uint8_t *g, size_t g_stride,
                           uint8_t *r, size_t r_stride)
{
    if (simd_has_avx2()) {
        simd_deinterleave_bgr_avx2(src, src_stride, w, h, b, b_stride, g, g_stride, r, r_stride);
        return;
    }
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++) {
            const uint8_t *bgr = src + y * src_stride + 3 * x;
            b[y * b_stride + x] = bgr[0];
            g[y * g_stride + x] = bgr[1];
            r[y * r_stride + x] = bgr[2];
        }
}

void simd_interleave_bgr(const uint8_t *b, size_t b_stride, const uint8_t *g, size_t g_stride,
                         const uint8_t *r, size_t r_stride, size_t w, size_t h,
                         uint8_t *dst, size_t dst_stride)
{
    if (simd_has_avx2()) {
        simd_interleave_bgr_avx2(b, b_stride, g, g_stride, r, r_stride, w, h, dst, dst_stride);
        return;
    }
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++) {
            uint8_t *bgr = dst + y * dst_stride + 3 * x;
            bgr[0] = b[y * b_stride + x];
            bgr[1] = g[y * g_stride + x];
            bgr[2] = r[y * r_stride + x];
        }
}

void simd_bgr_to_yuv420p(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                         uint8_t *y, size_t y_stride, uint8_t *u, size_t u_stride,
                         uint8_t *v, size_t v_stride)
{
    if (simd_has_avx512_vbmi()) {
        simd_bgr_to_yuv420p_avx512(src, src_stride, w, h, y, y_stride, u, u_stride, v, v_stride);
        return;
    }
    if (simd_has_avx2()) {
        simd_bgr_to_yuv420p_avx2(src, src_stride, w, h, y, y_stride, u, u_stride, v, v_stride);
        return;
    }
    for (size_t row = 0; row < h; row++)
        for (size_t x = 0; x < w; x++)
            y[row * y_stride + x] = simd_luma(src + row * src_stride + 3 * x);
    for (size_t row = 0; row < h; row += 2) {
        simd_rows rows = simd_rows_around(src, src_stride, h, row);
        for (size_t x = 0; x < w; x += 2)
            simd_chroma(rows, simd_columns_around(w, x), u + row / 2 * u_stride + x / 2,
                        v + row / 2 * v_stride + x / 2);
    }
}

void simd_yuv420p_to_bgr(const uint8_t *y, size_t y_stride, const uint8_t *u, size_t u_stride,
                         const uint8_t *v, size_t v_stride, size_t w, size_t h,
                         uint8_t *dst, size_t dst_stride)
{
    if (simd_has_avx512_vbmi()) {
        simd_yuv420p_to_bgr_avx512(y, y_stride, u, u_stride, v, v_stride, w, h, dst, dst_stride);
        return;
    }
    if (simd_has_avx2()) {
        simd_yuv420p_to_bgr_avx2(y, y_stride, u, u_stride, v, v_stride, w, h, dst, dst_stride);
        return;
    }
    for (size_t row = 0; row < h; row++)
        for (size_t x = 0; x < w; x++)
            simd_yuv_to_bgr_pixel(y[row * y_stride + x], u[row / 2 * u_stride + x / 2],
                                  v[row / 2 * v_stride + x / 2], dst + row * dst_stride + 3 * x);
}
