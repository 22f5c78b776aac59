/* Decompression (FIPS 203, equation 4.8): round(q / 2^d * y) of numbers of d bits.
 *
 * The rounded product of two 15-bit fractions is (v * q + 2^14) / 2^15, which is what is wanted for
 * v = y * 2^(15 - d). So all that there is to do is to bring each number to the top of 15 bits. */
#include "avx2.h"
#include "kernels.h"

MK_INLINE void store_product(int16_t *r, __m256i v)
{
    mk_store(r, _mm256_mulhrs_epi16(v, _mm256_set1_epi16(Q)));
}

/* Sixteen bytes, twice. */
MK_INLINE __m256i twice(__m128i v)
{
    return _mm256_broadcastsi128_si256(v);
}

/* Sixteen bytes from `a` on, and sixteen from `b` on. */
MK_INLINE __m256i both(const uint8_t *a, const uint8_t *b)
{
    __m256i low = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)a));

    return _mm256_inserti128_si256(low, _mm_loadu_si128((const __m128i *)b), 1);
}

void mk_decompress_d4_avx2(int16_t r[256], const uint8_t a[128])
{
    /* each byte twice; the upper number of the second one is four bits higher already */
    const __m256i spread = _mm256_setr_epi8(0, -1, 0, -1, 1, -1, 1, -1, 2, -1, 2, -1, 3, -1, 3, -1, 4,
                                            -1, 4, -1, 5, -1, 5, -1, 6, -1, 6, -1, 7, -1, 7, -1);
    const __m256i own = _mm256_set1_epi32(0x00F0000F);
    const __m256i up = _mm256_set1_epi32((1 << 11) + (1 << 23));

    for (int i = 0; i < 16; i++, r += 16, a += 8) {
        __m256i bytes = _mm256_broadcastq_epi64(_mm_loadl_epi64((const __m128i *)a));
        __m256i v = _mm256_and_si256(_mm256_shuffle_epi8(bytes, spread), own);

        store_product(r, _mm256_mullo_epi16(v, up));
    }
}

void mk_decompress_d5_avx2(int16_t r[256], const uint8_t a[160])
{
    /* the two bytes in which number i is, from bit 5 i % 8 on */
    const __m256i spread = _mm256_setr_epi8(0, 1, 0, 1, 1, 2, 1, 2, 2, 3, 3, 4, 3, 4, 4, -1, 5, 6, 5,
                                            6, 6, 7, 6, 7, 7, 8, 8, 9, 8, 9, 9, -1);
    const __m128i own = _mm_setr_epi16(31, 31 << 5, 31 << 2, 31 << 7, 31 << 4, 31 << 1, 31 << 6,
                                       31 << 3);
    const __m128i up = _mm_setr_epi16(1 << 10, 1 << 5, 1 << 8, 1 << 3, 1 << 6, 1 << 9, 1 << 4, 1 << 7);

    for (int i = 0; i < 16; i++, r += 16, a += 10) {
        /* the last load begins earlier, so as not to end after its bytes */
        __m128i bytes = i < 15 ? _mm_loadu_si128((const __m128i *)a)
                               : _mm_srli_si128(_mm_loadu_si128((const __m128i *)(a - 6)), 6);
        __m256i v = _mm256_and_si256(_mm256_shuffle_epi8(twice(bytes), spread), twice(own));

        store_product(r, _mm256_mullo_epi16(v, twice(up)));
    }
}

void mk_decompress_d10_avx2(int16_t r[256], const uint8_t a[320])
{
    /* number i begins in byte 10 i / 8, at bit 0, 2, 4 or 6 */
    const __m256i spread = _mm256_setr_epi8(0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 6, 7, 7, 8, 8, 9, 6, 7, 7, 8,
                                            8, 9, 9, 10, 11, 12, 12, 13, 13, 14, 14, 15);
    const __m256i up = _mm256_set1_epi64x(0x0001000400100040); /* to the top of 16 bits */

    for (int i = 0; i < 16; i++, r += 16, a += 20) {
        /* ten bytes for each half; the second load begins earlier than its bytes */
        __m256i v = _mm256_shuffle_epi8(both(a, a + 4), spread);

        v = _mm256_srli_epi16(_mm256_mullo_epi16(v, up), 1);
        store_product(r, _mm256_and_si256(v, _mm256_set1_epi16(0x3FF << 5)));
    }
}

void mk_decompress_d11_avx2(int16_t r[256], const uint8_t a[352])
{
    /* two numbers are 22 bits, which begin in byte 22 i / 8, at bit 0, 6, 4 or 2 */
    const __m256i spread = _mm256_setr_epi8(0, 1, 2, 3, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, -1, 5, 6, 7,
                                            8, 7, 8, 9, 10, 10, 11, 12, 13, 13, 14, 15, -1);
    const __m256i down = _mm256_setr_epi32(0, 6, 4, 2, 0, 6, 4, 2);

    for (int i = 0; i < 16; i++, r += 16, a += 22) {
        /* eleven bytes for each half; the second load begins earlier than its bytes */
        __m256i v = _mm256_srlv_epi32(_mm256_shuffle_epi8(both(a, a + 6), spread), down);
        __m256i low = _mm256_and_si256(_mm256_slli_epi32(v, 4), _mm256_set1_epi32(0x7FF << 4));
        __m256i high = _mm256_and_si256(_mm256_slli_epi32(v, 9), _mm256_set1_epi32(0x7FF << 20));

        store_product(r, _mm256_or_si256(low, high));
    }
}
