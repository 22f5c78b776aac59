/* The arithmetic backend: which kernels have a faster version (see native/api.h). Each asks the
 * processor first; where it lacks AVX2, upstream's plain C runs. */
#ifndef BACKEND_H
#define BACKEND_H

#include "kernels/cpu.h"
#include "kernels/kernels.h"
#include "native/api.h"

/* A kernel that works for every argument. */
#define MK_WITH_AVX2(call)                   \
    do {                                     \
        if (!mk_has_avx2())                  \
            return MLK_NATIVE_FUNC_FALLBACK; \
        call;                                \
        return MLK_NATIVE_FUNC_SUCCESS;      \
    } while (0)

#define MLK_USE_NATIVE_REJ_UNIFORM
#define MLK_USE_NATIVE_NTT
#define MLK_USE_NATIVE_INTT
#define MLK_USE_NATIVE_POLY_REDUCE
#define MLK_USE_NATIVE_POLY_TOMONT
#define MLK_USE_NATIVE_POLY_MULCACHE_COMPUTE
#define MLK_USE_NATIVE_POLYVEC_BASEMUL_ACC_MONTGOMERY_CACHED

static MLK_INLINE int mlk_rej_uniform_native(int16_t *r, unsigned len, const uint8_t *buf,
                                             unsigned buflen)
{
    if (!mk_has_avx2())
        return MLK_NATIVE_FUNC_FALLBACK;
    return (int)mk_rej_uniform_avx2(r, len, buf, buflen);
}

static MLK_INLINE int mlk_ntt_native(int16_t p[MLKEM_N])
{
    MK_WITH_AVX2(mk_ntt_avx2(p));
}

static MLK_INLINE int mlk_intt_native(int16_t p[MLKEM_N])
{
    MK_WITH_AVX2(mk_invntt_tomont_avx2(p));
}

static MLK_INLINE int mlk_poly_reduce_native(int16_t p[MLKEM_N])
{
    MK_WITH_AVX2(mk_reduce_avx2(p));
}

static MLK_INLINE int mlk_poly_tomont_native(int16_t p[MLKEM_N])
{
    MK_WITH_AVX2(mk_tomont_avx2(p));
}

static MLK_INLINE int mlk_poly_mulcache_compute_native(int16_t cache[MLKEM_N / 2],
                                                       const int16_t poly[MLKEM_N])
{
    MK_WITH_AVX2(mk_mulcache_compute_avx2(cache, poly));
}

static MLK_INLINE int mlk_polyvec_basemul_acc_montgomery_cached_k2_native(
    int16_t r[MLKEM_N], const int16_t a[2 * MLKEM_N], const int16_t b[2 * MLKEM_N],
    const int16_t b_cache[2 * (MLKEM_N / 2)])
{
    MK_WITH_AVX2(mk_basemul_k2_avx2(r, a, b, b_cache));
}

static MLK_INLINE int mlk_polyvec_basemul_acc_montgomery_cached_k3_native(
    int16_t r[MLKEM_N], const int16_t a[3 * MLKEM_N], const int16_t b[3 * MLKEM_N],
    const int16_t b_cache[3 * (MLKEM_N / 2)])
{
    MK_WITH_AVX2(mk_basemul_k3_avx2(r, a, b, b_cache));
}

static MLK_INLINE int mlk_polyvec_basemul_acc_montgomery_cached_k4_native(
    int16_t r[MLKEM_N], const int16_t a[4 * MLKEM_N], const int16_t b[4 * MLKEM_N],
    const int16_t b_cache[4 * (MLKEM_N / 2)])
{
    MK_WITH_AVX2(mk_basemul_k4_avx2(r, a, b, b_cache));
}

#endif
