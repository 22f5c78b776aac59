/* 32 bytes at a time, and the upper halves are cleared at the end. */
#include "planted.h"

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx2"))) static int32_t blocks(const uint8_t *a, const uint8_t *b,
                                                      uint8_t *out, int32_t n)
{
    int32_t i = 0;
    for (; i + 32 <= n; i += 32) {
        __m256i va = _mm256_loadu_si256((const __m256i *)(a + i));
        __m256i vb = _mm256_loadu_si256((const __m256i *)(b + i));
        _mm256_storeu_si256((__m256i *)(out + i), _mm256_adds_epu8(va, vb));
    }
    return i;
}
#endif

void planted_add(const uint8_t *a, const uint8_t *b, uint8_t *out, int32_t n)
{
    int32_t i = 0;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        i = blocks(a, b, out, n);
#endif
    for (; i < n; i++) {
        int sum = a[i] + b[i];
        out[i] = sum > 255 ? 255 : (uint8_t)sum;
    }
}
