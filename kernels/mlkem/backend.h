/* The arithmetic backend: which kernels have a faster version. There is none yet.
 *
 * native/api.h describes what a backend may define. For each kernel that it has, it defines a
 * macro such as MLK_USE_NATIVE_NTT and a `static MLK_INLINE` function such as mlk_ntt_native,
 * which does the work and returns MLK_NATIVE_FUNC_SUCCESS, or touches nothing and returns
 * MLK_NATIVE_FUNC_FALLBACK; then upstream's plain C runs. This file is included by every
 * compilation unit, at the end of common.h's configuration. */
#ifndef BACKEND_H
#define BACKEND_H

#endif
