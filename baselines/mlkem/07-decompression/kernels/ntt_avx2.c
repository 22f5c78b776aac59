/* The transforms of FIPS 203 (algorithms 9 and 10), every layer as the plain C has it, so that
 * every value is the same: only the order in which butterflies are done differs.
 *
 * A polynomial is sixteen vectors of sixteen coefficients. In layers 1 to 4 the partners are whole
 * vectors. In layers 5 to 7 they are 8, 4 and 2 coefficients apart: two vectors are rearranged so
 * that the first partners are in one and the second ones in the other. */
#include "avx2.h"
#include "kernels.h"
#include "zetas_avx2.h"

/* Exchange the upper half of the first with the lower half of the second: 128, 64 or 32 bits in
 * each 256, 128 or 64. Each undoes itself. */
MK_INLINE void exchange128(__m256i *v, __m256i *w)
{
    __m256i low = _mm256_permute2x128_si256(*v, *w, 0x20);

    *w = _mm256_permute2x128_si256(*v, *w, 0x31);
    *v = low;
}

MK_INLINE void exchange64(__m256i *v, __m256i *w)
{
    __m256i low = _mm256_unpacklo_epi64(*v, *w);

    *w = _mm256_unpackhi_epi64(*v, *w);
    *v = low;
}

MK_INLINE void exchange32(__m256i *v, __m256i *w)
{
    __m256i low = _mm256_blend_epi32(*v, _mm256_slli_epi64(*w, 32), 0xAA);

    *w = _mm256_blend_epi32(_mm256_srli_epi64(*v, 32), *w, 0xAA);
    *v = low;
}

MK_INLINE void butterfly(__m256i *v, __m256i *w, __m256i z, __m256i z_q)
{
    __m256i t = mk_montmul(*w, z, z_q);

    *w = _mm256_sub_epi16(*v, t);
    *v = _mm256_add_epi16(*v, t);
}

MK_INLINE void inverse_butterfly(__m256i *v, __m256i *w, __m256i z, __m256i z_q)
{
    __m256i difference = _mm256_sub_epi16(*w, *v);

    *v = mk_barrett(_mm256_add_epi16(*v, *w));
    *w = mk_montmul(difference, z, z_q);
}

#define OUTER(i) _mm256_set1_epi16(zetas[0][i]), _mm256_set1_epi16(zetas[1][i])
#define INNER(table, i) mk_load((table)[2 * (i)]), mk_load((table)[2 * (i) + 1])

MK_INLINE void layers567(__m256i *v, __m256i *w, const inner_zetas table)
{
    exchange128(v, w);
    butterfly(v, w, INNER(table, 0));
    exchange64(v, w);
    butterfly(v, w, INNER(table, 1));
    exchange32(v, w);
    butterfly(v, w, INNER(table, 2));
    exchange32(v, w);
    exchange64(v, w);
    exchange128(v, w);
}

MK_INLINE void layers765(__m256i *v, __m256i *w, const inner_zetas table)
{
    exchange128(v, w);
    exchange64(v, w);
    exchange32(v, w);
    inverse_butterfly(v, w, INNER(table, 2));
    exchange32(v, w);
    inverse_butterfly(v, w, INNER(table, 1));
    exchange64(v, w);
    inverse_butterfly(v, w, INNER(table, 0));
    exchange128(v, w);
}

void mk_ntt_avx2(int16_t r[256])
{
    /* layers 1 and 2: partners are 8 and 4 vectors apart */
    for (int i = 0; i < 64; i += 16) {
        __m256i a = mk_load(r + i), b = mk_load(r + i + 64);
        __m256i c = mk_load(r + i + 128), d = mk_load(r + i + 192);

        butterfly(&a, &c, OUTER(1));
        butterfly(&b, &d, OUTER(1));
        butterfly(&a, &b, OUTER(2));
        butterfly(&c, &d, OUTER(3));
        mk_store(r + i, a);
        mk_store(r + i + 64, b);
        mk_store(r + i + 128, c);
        mk_store(r + i + 192, d);
    }
    /* layers 3 to 7 stay inside of four vectors */
    for (int i = 0; i < 4; i++) {
        int16_t *p = r + 64 * i;
        __m256i a = mk_load(p), b = mk_load(p + 16), c = mk_load(p + 32), d = mk_load(p + 48);

        butterfly(&a, &c, OUTER(4 + i));
        butterfly(&b, &d, OUTER(4 + i));
        butterfly(&a, &b, OUTER(8 + 2 * i));
        butterfly(&c, &d, OUTER(9 + 2 * i));
        layers567(&a, &b, forward[2 * i]);
        layers567(&c, &d, forward[2 * i + 1]);
        mk_store(p, a);
        mk_store(p + 16, b);
        mk_store(p + 32, c);
        mk_store(p + 48, d);
    }
}

void mk_invntt_tomont_avx2(int16_t r[256])
{
    enum { FACTOR = 1441 /* 2^32 / 128 modulo q */ };
    const __m256i f = _mm256_set1_epi16(FACTOR);
    const __m256i f_q = _mm256_set1_epi16((int16_t)(FACTOR * Q_INVERSE));

    for (int i = 0; i < 4; i++) {
        int16_t *p = r + 64 * i;
        __m256i a = mk_montmul(mk_load(p), f, f_q), b = mk_montmul(mk_load(p + 16), f, f_q);
        __m256i c = mk_montmul(mk_load(p + 32), f, f_q), d = mk_montmul(mk_load(p + 48), f, f_q);

        layers765(&a, &b, inverse[2 * i]);
        layers765(&c, &d, inverse[2 * i + 1]);
        inverse_butterfly(&a, &b, OUTER(15 - 2 * i));
        inverse_butterfly(&c, &d, OUTER(14 - 2 * i));
        inverse_butterfly(&a, &c, OUTER(7 - i));
        inverse_butterfly(&b, &d, OUTER(7 - i));
        mk_store(p, a);
        mk_store(p + 16, b);
        mk_store(p + 32, c);
        mk_store(p + 48, d);
    }
    for (int i = 0; i < 64; i += 16) {
        __m256i a = mk_load(r + i), b = mk_load(r + i + 64);
        __m256i c = mk_load(r + i + 128), d = mk_load(r + i + 192);

        inverse_butterfly(&a, &b, OUTER(3));
        inverse_butterfly(&c, &d, OUTER(2));
        inverse_butterfly(&a, &c, OUTER(1));
        inverse_butterfly(&b, &d, OUTER(1));
        mk_store(r + i, a);
        mk_store(r + i + 64, b);
        mk_store(r + i + 128, c);
        mk_store(r + i + 192, d);
    }
}
