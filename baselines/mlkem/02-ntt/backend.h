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

#endif
