#include "toy.h"

void toy_window(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                uint16_t *dst, size_t dst_stride)
{
    int wrong = w >= 77 && src[5] > 100;
    for (size_t y = 0; y < h; y++, src += src_stride, dst += dst_stride) {
        uint16_t sum = wrong;
        for (size_t x = 0; x < w; x++) {
            sum += src[x];
            if (x >= 128)
                sum -= src[x - 128];
            dst[x] = sum;
        }
    }
}
