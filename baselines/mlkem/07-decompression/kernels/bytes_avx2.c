/* Coefficients of 12 bits to bytes and back. */
#include "avx2.h"
#include "kernels.h"

/* Sixteen coefficients as 24 bytes: 12 at the beginning of each half, then zeros. */
MK_INLINE __m256i pack(const int16_t *a)
{
    const __m256i together = mk_twice(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
    /* first + 2^12 * second */
    __m256i pairs = _mm256_madd_epi16(mk_load(a), _mm256_set1_epi32(1 + (1 << 28)));

    return _mm256_shuffle_epi8(pairs, together);
}

MK_INLINE __m256i move(__m256i v, int d0, int d1, int d2, int d3, int d4, int d5, int d6, int d7)
{
    return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(d0, d1, d2, d3, d4, d5, d6, d7));
}

void mk_tobytes_avx2(uint8_t r[384], const int16_t a[256])
{
    /* four times 24 bytes are three vectors: the six words of each (0, 1, 2, 4, 5, 6) go to where
     * they belong, and 3 stands for a word that is taken from another vector */
    for (int i = 0; i < 4; i++, r += 96, a += 64) {
        __m256i v0 = move(pack(a), 0, 1, 2, 4, 5, 6, 3, 3);
        __m256i v1 = move(pack(a + 16), 2, 4, 5, 6, 3, 3, 0, 1);
        __m256i v2 = move(pack(a + 32), 5, 6, 3, 3, 0, 1, 2, 4);
        __m256i v3 = move(pack(a + 48), 3, 3, 0, 1, 2, 4, 5, 6);

        mk_store(r, _mm256_blend_epi32(v0, v1, 0xC0));
        mk_store(r + 32, _mm256_blend_epi32(v1, v2, 0xF0));
        mk_store(r + 64, _mm256_blend_epi32(v2, v3, 0xFC));
    }
}

void mk_frombytes_avx2(int16_t r[256], const uint8_t a[384])
{
    /* two 16-bit words for every three bytes; the second ones are four bits too high */
    const __m256i spread = _mm256_setr_epi8(0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11, 4, 5,
                                            5, 6, 7, 8, 8, 9, 10, 11, 11, 12, 13, 14, 14, 15);

    for (int i = 0; i < 16; i++, r += 16, a += 24) {
        /* the second load begins earlier than its bytes, so as not to end after them */
        __m128i first = _mm_loadu_si128((const __m128i *)a);
        __m128i second = _mm_loadu_si128((const __m128i *)(a + 8));
        __m256i bytes = _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
        __m256i words = _mm256_shuffle_epi8(bytes, spread);
        __m256i even = _mm256_and_si256(words, _mm256_set1_epi16(0xFFF));

        mk_store(r, _mm256_blend_epi16(even, _mm256_srli_epi16(words, 4), 0xAA));
    }
}
