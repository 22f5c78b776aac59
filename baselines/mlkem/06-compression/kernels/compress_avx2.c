/* Compression (FIPS 203, equation 4.7): round(2^d / q * x) modulo 2^d, then d bits each. */
#include <string.h>

#include "avx2.h"
#include "kernels.h"

/* For d = 4 and 5: x / q with ten bits after the point (20159 is 2^26 / q). The rounding shift by
 * the 10 - d bits that are too many is a multiplication by 2^(5 + d) of which the high 17 bits are
 * kept, rounded. Exact for every x in 0..q-1. */
MK_INLINE __m256i compress_few(__m256i x, int d)
{
    __m256i t = _mm256_mulhi_epi16(x, _mm256_set1_epi16(20159));

    t = _mm256_mulhrs_epi16(t, _mm256_set1_epi16((int16_t)(1 << (5 + d))));
    return _mm256_and_si256(t, _mm256_set1_epi16((int16_t)((1 << d) - 1)));
}

/* For d = 10 and 11 the same with 13 bits, and a factor that is too small rather than too large. The
 * quotient y is then right, or one too small, and the rest 2^d x - y q tells which: in the second
 * case it is above (q - 1) / 2. It is computed modulo 2^16, in which it fits. */
MK_INLINE __m256i compress_many(__m256i x, int d)
{
    __m256i t = _mm256_mulhi_epi16(_mm256_slli_epi16(x, 3), _mm256_set1_epi16(20158));
    __m256i y = _mm256_mulhrs_epi16(t, _mm256_set1_epi16((int16_t)(1 << (2 + d))));
    __m256i rest = _mm256_sub_epi16(_mm256_slli_epi16(x, d),
                                    _mm256_mullo_epi16(y, _mm256_set1_epi16(Q)));

    y = _mm256_sub_epi16(y, _mm256_cmpgt_epi16(rest, _mm256_set1_epi16((Q - 1) / 2)));
    return _mm256_and_si256(y, _mm256_set1_epi16((int16_t)((1 << d) - 1)));
}

/* Two numbers of `bits` bits in each 64 bits, now next to each other at the bottom. */
MK_INLINE __m256i join(__m256i pairs, int bits)
{
    const __m256i up = _mm256_set1_epi64x(32 - bits); /* of the lower ones only */

    return _mm256_srli_epi64(_mm256_sllv_epi32(pairs, up), 32 - bits);
}

/* The `last` bytes, fewer than 16, of a result. */
MK_INLINE void store_last(uint8_t *r, __m128i v, size_t last)
{
    uint8_t bytes[16];

    _mm_storeu_si128((__m128i *)bytes, v);
    memcpy(r, bytes, last);
}

void mk_compress_d4_avx2(uint8_t r[128], const int16_t a[256])
{
    const __m256i sixteen = _mm256_set1_epi16(1 + (16 << 8));
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);

    for (int i = 0; i < 4; i++, r += 32, a += 64) {
        __m256i v0 = compress_few(mk_load(a), 4), v1 = compress_few(mk_load(a + 16), 4);
        __m256i v2 = compress_few(mk_load(a + 32), 4), v3 = compress_few(mk_load(a + 48), 4);
        __m256i v01 = _mm256_maddubs_epi16(_mm256_packus_epi16(v0, v1), sixteen);
        __m256i v23 = _mm256_maddubs_epi16(_mm256_packus_epi16(v2, v3), sixteen);

        /* packing works on halves, so that pieces of four bytes are out of order */
        mk_store(r, _mm256_permutevar8x32_epi32(_mm256_packus_epi16(v01, v23), order));
    }
}

void mk_compress_d5_avx2(uint8_t r[160], const int16_t a[256])
{
    const __m256i together = mk_twice(0, 1, 2, 3, 4, 8, 9, 10, 11, 12, -1, -1, -1, -1, -1, -1);

    for (int i = 0; i < 8; i++, r += 20, a += 32) {
        __m256i v = compress_few(mk_load(a), 5), w = compress_few(mk_load(a + 16), 5);
        /* 5 bits, 10 bits, 20 bits, 40 bits */
        __m256i x = _mm256_maddubs_epi16(_mm256_packus_epi16(v, w), _mm256_set1_epi16(1 + (32 << 8)));
        x = join(_mm256_madd_epi16(x, _mm256_set1_epi32(1 + (1024 << 16))), 20);
        x = _mm256_shuffle_epi8(_mm256_permute4x64_epi64(x, 0xD8), together);

        /* each store but the very last one may write what the next one writes again */
        _mm_storeu_si128((__m128i *)r, _mm256_castsi256_si128(x));
        if (i < 7)
            _mm_storeu_si128((__m128i *)(r + 10), _mm256_extracti128_si256(x, 1));
        else
            store_last(r + 10, _mm256_extracti128_si256(x, 1), 10);
    }
}

void mk_compress_d10_avx2(uint8_t r[320], const int16_t a[256])
{
    const __m256i together = mk_twice(0, 1, 2, 3, 4, 8, 9, 10, 11, 12, -1, -1, -1, -1, -1, -1);

    for (int i = 0; i < 16; i++, r += 20, a += 16) {
        __m256i x = compress_many(mk_load(a), 10);
        x = join(_mm256_madd_epi16(x, _mm256_set1_epi32(1 + (1024 << 16))), 20);
        x = _mm256_shuffle_epi8(x, together);

        _mm_storeu_si128((__m128i *)r, _mm256_castsi256_si128(x));
        if (i < 15)
            _mm_storeu_si128((__m128i *)(r + 10), _mm256_extracti128_si256(x, 1));
        else
            store_last(r + 10, _mm256_extracti128_si256(x, 1), 10);
    }
}

void mk_compress_d11_avx2(uint8_t r[352], const int16_t a[256])
{
    /* 44 bits and 44 bits: the second ones begin in the middle of the sixth byte */
    const __m256i half = _mm256_setr_epi64x(0, 4, 0, 4);
    const __m256i first = mk_twice(0, 1, 2, 3, 4, 5, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    const __m256i second = mk_twice(-1, -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, -1, -1, -1, -1, -1);

    for (int i = 0; i < 16; i++, r += 22, a += 16) {
        __m256i x = compress_many(mk_load(a), 11);
        x = join(_mm256_madd_epi16(x, _mm256_set1_epi32(1 + (2048 << 16))), 22);
        x = _mm256_sllv_epi64(x, half);
        x = _mm256_or_si256(_mm256_shuffle_epi8(x, first), _mm256_shuffle_epi8(x, second));

        _mm_storeu_si128((__m128i *)r, _mm256_castsi256_si128(x));
        if (i < 15)
            _mm_storeu_si128((__m128i *)(r + 11), _mm256_extracti128_si256(x, 1));
        else
            store_last(r + 11, _mm256_extracti128_si256(x, 1), 11);
    }
}
