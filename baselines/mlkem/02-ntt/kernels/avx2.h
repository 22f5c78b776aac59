/* Arithmetic modulo q = 3329 on sixteen 16-bit numbers at once. Included by *_avx2.c only. */
#ifndef KERNELS_AVX2_H
#define KERNELS_AVX2_H

#include <immintrin.h>
#include <stdint.h>

#define MK_INLINE static inline __attribute__((always_inline))

enum { Q = 3329, Q_INVERSE = -3327 /* modulo 2^16 */ };

MK_INLINE __m256i mk_load(const void *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

MK_INLINE void mk_store(void *p, __m256i v)
{
    _mm256_storeu_si256((__m256i *)p, v);
}

/* a * z / 2^16 modulo q, as plain C has it: (a z - t q) / 2^16 with t = a z / q modulo 2^16. The low
 * halves of a z and t q are equal, so that the difference of the high halves is exact. `z_q` is
 * z / q modulo 2^16. */
MK_INLINE __m256i mk_montmul(__m256i a, __m256i z, __m256i z_q)
{
    __m256i t = _mm256_mullo_epi16(a, z_q);

    return _mm256_sub_epi16(_mm256_mulhi_epi16(a, z), _mm256_mulhi_epi16(t, _mm256_set1_epi16(Q)));
}

/* The representative in -(q-1)/2..(q-1)/2: a minus q times a / q rounded. 20159 is 2^26 / q; the
 * rounding shift by the 10 bits that are left is a multiplication by 2^5 of which the high 17 bits
 * are kept, rounded. */
MK_INLINE __m256i mk_barrett(__m256i a)
{
    __m256i t = _mm256_mulhi_epi16(a, _mm256_set1_epi16(20159));

    t = _mm256_mulhrs_epi16(t, _mm256_set1_epi16(32));
    return _mm256_sub_epi16(a, _mm256_mullo_epi16(t, _mm256_set1_epi16(Q)));
}

#endif
