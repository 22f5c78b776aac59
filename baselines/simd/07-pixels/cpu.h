/* What the processor can do, asked at run time. */
#ifndef SIMD_CPU_H
#define SIMD_CPU_H

/* The compiler's own start-up code fills in the answer before any function of the library can be
 * called, so that this is a load and a test: no state of ours, nothing to race for. */
static inline int simd_has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}

/* Shuffles of bytes among 64, with the instructions of AVX-512 for bytes and words. */
static inline int simd_has_avx512_vbmi(void)
{
    return __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw")
           && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}

#endif
