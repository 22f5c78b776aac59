/* Reduction to 0..q-1, and multiplication by 2^16. */
#include "avx2.h"
#include "kernels.h"

void mk_reduce_avx2(int16_t r[256])
{
    for (int i = 0; i < 256; i += 16) {
        __m256i a = mk_barrett(mk_load(r + i));
        /* as unsigned numbers, a is the smaller one unless it is negative */
        mk_store(r + i, _mm256_min_epu16(a, _mm256_add_epi16(a, _mm256_set1_epi16(Q))));
    }
}

void mk_tomont_avx2(int16_t r[256])
{
    enum { FACTOR = 1353 /* 2^32 modulo q */ };
    const __m256i f = _mm256_set1_epi16(FACTOR);
    const __m256i f_q = _mm256_set1_epi16((int16_t)(FACTOR * Q_INVERSE));

    for (int i = 0; i < 256; i += 16)
        mk_store(r + i, mk_montmul(mk_load(r + i), f, f_q));
}
