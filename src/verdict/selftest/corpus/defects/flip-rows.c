/* Takes or writes rows of another width than `w`. */
#include "planted.h"

void planted_flip(const uint8_t *src, size_t src_stride, uint8_t *dst, size_t dst_stride,
                  int32_t w, int32_t h)
{
    for (int32_t y = 0; y < h; y++, src += src_stride, dst += dst_stride) {
        for (int32_t x = 0; x < w; x++)
            dst[x] = src[w - 1 - x];
        EXTRA
    }
}
