/* Products of polynomials that have been transformed: pairs of coefficients (FIPS 203, algorithm
 * 12), summed as 32-bit integers and reduced once. */
#include "avx2.h"
#include "kernels.h"
#include "mulcache_zetas.h"

void mk_mulcache_compute_avx2(int16_t x[128], const int16_t a[256])
{
    for (int i = 0; i < 128; i += 16) {
        /* the odd coefficients of two vectors; as 32-bit numbers nothing saturates */
        __m256i v = _mm256_srai_epi32(mk_load(a + 2 * i), 16);
        __m256i w = _mm256_srai_epi32(mk_load(a + 2 * i + 16), 16);
        __m256i odd = _mm256_permute4x64_epi64(_mm256_packs_epi32(v, w), 0xD8);

        mk_store(x + i, mk_montmul(odd, mk_load(&zetas[0][i]), mk_load(&zetas[1][i])));
    }
}

/* The scalar product of `k` pairs. A vector holds eight pairs of coefficients, and each product of
 * pairs is two sums of two products, which is what a multiply-add of 16-bit numbers gives. */
MK_INLINE void basemul(int16_t *r, const int16_t *a, const int16_t *b, const int16_t *cache, int k)
{
    const __m256i swap = mk_twice(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);

    for (int i = 0; i < 256; i += 16) {
        __m256i t0 = _mm256_setzero_si256(), t1 = t0;

        for (int j = 0; j < k; j++) {
            __m256i v = mk_load(a + 256 * j + i), w = mk_load(b + 256 * j + i);
            __m256i c = _mm256_cvtepu16_epi32(
                _mm_loadu_si128((const __m128i *)(cache + 128 * j + i / 2)));
            __m256i first = _mm256_blend_epi16(w, _mm256_slli_epi32(c, 16), 0xAA);

            t0 = _mm256_add_epi32(t0, _mm256_madd_epi16(v, first));
            t1 = _mm256_add_epi32(t1, _mm256_madd_epi16(v, _mm256_shuffle_epi8(w, swap)));
        }
        /* Montgomery reduction of both, side by side as they are stored */
        __m256i low = _mm256_blend_epi16(t0, _mm256_slli_epi32(t1, 16), 0xAA);
        __m256i high = _mm256_blend_epi16(_mm256_srli_epi32(t0, 16), t1, 0xAA);
        __m256i t = _mm256_mullo_epi16(low, _mm256_set1_epi16(Q_INVERSE));

        t = _mm256_mulhi_epi16(t, _mm256_set1_epi16(Q));
        mk_store(r + i, _mm256_sub_epi16(high, t));
    }
}

void mk_basemul_k2_avx2(int16_t *r, const int16_t *a, const int16_t *b, const int16_t *cache)
{
    basemul(r, a, b, cache, 2);
}

void mk_basemul_k3_avx2(int16_t *r, const int16_t *a, const int16_t *b, const int16_t *cache)
{
    basemul(r, a, b, cache, 3);
}

void mk_basemul_k4_avx2(int16_t *r, const int16_t *a, const int16_t *b, const int16_t *cache)
{
    basemul(r, a, b, cache, 4);
}
