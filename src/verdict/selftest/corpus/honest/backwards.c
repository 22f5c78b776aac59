/* Uses string instructions in both directions, and the old vector registers. */
#include "planted.h"

void planted_flip(const uint8_t *src, size_t src_stride, uint8_t *dst, size_t dst_stride,
                  int32_t w, int32_t h)
{
    for (int32_t y = h - 1; y >= 0; y--) {
        const uint8_t *from = src + y * src_stride;
        uint8_t *to = dst + y * dst_stride;
        for (int32_t x = 0; x < w; x++)
            to[x] = from[w - 1 - x];
#if defined(__x86_64__)
        const uint8_t *s = to + w - 1;
        uint8_t *d = to + w - 1;
        size_t count = (size_t)w;
        __asm__ volatile("std\n rep movsb\n cld\n movq %%rax, %%mm0\n emms"
                         : "+S"(s), "+D"(d), "+c"(count) :: "memory", "cc", "mm0");
#endif
    }
}
