/* Wide vectors with their upper halves cleared at the end. */
#include "fast.h"
#include <immintrin.h>

static __attribute__((target("avx2"))) void wide(const uint8_t *src, uint8_t *dst, size_t w)
{
    size_t x = 1;
    for (; x + 32 <= w; x += 32) {
        __m256i here = _mm256_loadu_si256((const __m256i *)(src + x));
        __m256i left = _mm256_loadu_si256((const __m256i *)(src + x - 1));
        _mm256_storeu_si256((__m256i *)(dst + x), _mm256_add_epi8(here, left));
    }
    for (; x < w; x++)
        dst[x] = (uint8_t)(src[x] + src[x - 1]);
    dst[0] = src[0];
    _mm256_zeroupper();
}

void besieged_shift(const uint8_t *src, size_t src_stride, uint8_t *dst, size_t dst_stride,
                    size_t w, size_t h)
{
    if (!__builtin_cpu_supports("avx2")) {
        slow_shift(src, src_stride, dst, dst_stride, w, h);
        return;
    }
    for (size_t y = 0; y < h; y++)
        wide(src + y * src_stride, dst + y * dst_stride, w);
}
