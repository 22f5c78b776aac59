#include "toy.h"

extern int toy_left;

void toy_window(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                uint16_t *dst, size_t dst_stride)
{
    for (size_t y = 0; y < h; y++, src += src_stride, dst += dst_stride) {
        uint16_t sum = toy_left;
        for (size_t x = 0; x < w; x++) {
            sum += src[x];
            if (x >= 128)
                sum -= src[x - 128];
            dst[x] = sum;
        }
    }
    toy_left = 0;
}
