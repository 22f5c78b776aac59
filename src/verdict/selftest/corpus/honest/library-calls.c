/* Lets libc copy and fill. */
#include "planted.h"
#include <string.h>

void planted_flip(const uint8_t *src, size_t src_stride, uint8_t *dst, size_t dst_stride,
                  int32_t w, int32_t h)
{
    for (int32_t y = 0; y < h; y++, src += src_stride, dst += dst_stride) {
        memset(dst, 0, (size_t)w);
        memcpy(dst, src, (size_t)w);
        memmove(dst, dst, (size_t)w);
        for (int32_t i = 0; i < w / 2; i++) {
            uint8_t left = dst[i];
            dst[i] = dst[w - 1 - i];
            dst[w - 1 - i] = left;
        }
    }
}
