/* The arithmetic backend: which kernels have a faster version (see native/api.h). Each asks the
 * processor first; where it lacks AVX2, upstream's plain C runs. */
#ifndef BACKEND_H
#define BACKEND_H

#include "kernels/cpu.h"
#include "kernels/kernels.h"
#include "native/api.h"

#define MLK_USE_NATIVE_REJ_UNIFORM

static MLK_INLINE int mlk_rej_uniform_native(int16_t *r, unsigned len, const uint8_t *buf,
                                             unsigned buflen)
{
    if (!mk_has_avx2())
        return MLK_NATIVE_FUNC_FALLBACK;
    return (int)mk_rej_uniform_avx2(r, len, buf, buflen);
}

#endif
