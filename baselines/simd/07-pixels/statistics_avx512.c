#include "statistics_avx512.h"

#include <immintrin.h>

void simd_look_up_avx512(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                         const uint8_t *table, uint8_t *dst, size_t dst_stride)
{
    __m512i a = _mm512_loadu_si512(table), b = _mm512_loadu_si512(table + 64);
    __m512i c = _mm512_loadu_si512(table + 128), d = _mm512_loadu_si512(table + 192);

    for (size_t y = 0; y < h; y++) {
        const uint8_t *row = src + y * src_stride;
        uint8_t *out = dst + y * dst_stride;

        for (size_t x = 0; x < w; x += 64) {
            /* Masked bytes are neither read nor written. */
            __mmask64 inside = w - x < 64 ? ~(~(__mmask64)0 << (w - x)) : ~(__mmask64)0;
            __m512i at = _mm512_maskz_loadu_epi8(inside, row + x);
            __m512i low = _mm512_permutex2var_epi8(a, at, b);
            __m512i high = _mm512_permutex2var_epi8(c, at, d);
            __m512i value = _mm512_mask_blend_epi8(_mm512_movepi8_mask(at), low, high);
            _mm512_mask_storeu_epi8(out + x, inside, value);
        }
    }
}
