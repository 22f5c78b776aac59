/* Everything passes through the output several times. */
#include "planted.h"

void planted_flip(const uint8_t *src, size_t src_stride, uint8_t *dst, size_t dst_stride,
                  int32_t w, int32_t h)
{
    for (int32_t x = w - 1; x >= 0; x--)
        for (int32_t y = h - 1; y >= 0; y--)
            ((volatile uint8_t *)dst)[y * dst_stride + x] = (uint8_t)~src[y * src_stride + x];
    for (int32_t y = 0; y < h; y++, dst += dst_stride)
        for (int32_t i = 0; i < (w + 1) / 2; i++) {
            uint8_t left = (uint8_t)~dst[i];
            dst[i] = (uint8_t)~dst[w - 1 - i];
            dst[w - 1 - i] = left;
        }
}
