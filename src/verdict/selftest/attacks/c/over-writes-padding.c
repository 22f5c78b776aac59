/* Writes whole vectors, into what lies between the rows. */
#include "attack.h"

void besieged_shift(const uint8_t *src, size_t src_stride, uint8_t *dst, size_t dst_stride,
                    size_t w, size_t h)
{
    slow_shift(src, src_stride, dst, dst_stride, w, h);
    for (size_t y = 0; y + 1 < h; y++)
        for (size_t x = w; x < dst_stride && x % 16; x++)
            dst[y * dst_stride + x] = 0;
}
