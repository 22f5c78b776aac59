/* The formulas of alpha blending for one pixel. */
#ifndef SIMD_ALPHA_H
#define SIMD_ALPHA_H

#include <stddef.h>
#include <stdint.h>

static inline uint8_t simd_blend_pixel(uint8_t src, uint8_t alpha, uint8_t dst)
{
    return (uint8_t)((alpha * src + (255 - alpha) * dst + 127) / 255);
}

static inline void simd_premultiply_pixel(const uint8_t *src, uint8_t *dst)
{
    uint8_t alpha = src[3];

    for (int i = 0; i < 3; i++)
        dst[i] = (uint8_t)((alpha * src[i] + 127) / 255);
    dst[3] = alpha;
}

static inline void simd_unpremultiply_pixel(const uint8_t *src, uint8_t *dst)
{
    unsigned alpha = src[3];

    for (int i = 0; i < 3; i++) {
        unsigned value = alpha > 0 ? (255u * src[i] + alpha / 2) / alpha : 0;
        dst[i] = (uint8_t)(value < 255 ? value : 255);
    }
    dst[3] = (uint8_t)alpha;
}

#endif
