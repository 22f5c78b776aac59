/* What the AVX2 kernels share. Only for files that are compiled with -mavx2. */
#ifndef SIMD_AVX2_H
#define SIMD_AVX2_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define SIMD_INLINE static inline __attribute__((always_inline))

SIMD_INLINE __m256i simd_load(const void *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

SIMD_INLINE void simd_store(void *to, __m256i value)
{
    _mm256_storeu_si256((__m256i *)to, value);
}

/* Bytes of which the last `count` are ones and the others zeros: what a row's last vector has that
 * the one before it, which it overlaps, has not. */
SIMD_INLINE __m256i simd_last_bytes(size_t count)
{
    static const uint8_t bytes[64] = {
        [32] = 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    };
    return simd_load(bytes + count);
}

/* 32 values of 16 bits, in the order that unpacking two vectors of bytes gives: `low` has the
 * values of bytes 0-7 and 16-23, `high` those of bytes 8-15 and 24-31. Packing undoes it. */
typedef struct {
    __m256i low, high;
} simd_wide;

/* u * first + v * second for each byte. */
SIMD_INLINE simd_wide simd_pair(__m256i u, __m256i v, int first, int second)
{
    __m256i weights = _mm256_set1_epi16((short)(second * 256 + (first & 0xFF)));
    simd_wide sum = { _mm256_maddubs_epi16(_mm256_unpacklo_epi8(u, v), weights),
                      _mm256_maddubs_epi16(_mm256_unpackhi_epi8(u, v), weights) };
    return sum;
}

SIMD_INLINE simd_wide simd_add(simd_wide a, simd_wide b)
{
    simd_wide sum = { _mm256_add_epi16(a.low, b.low), _mm256_add_epi16(a.high, b.high) };
    return sum;
}

/* Writes 32 values of 16 bits in the order of their pixels. */
SIMD_INLINE void simd_store_wide(void *to, simd_wide value)
{
    simd_store(to, _mm256_permute2x128_si256(value.low, value.high, 0x20));
    simd_store((char *)to + 32, _mm256_permute2x128_si256(value.low, value.high, 0x31));
}

#endif
