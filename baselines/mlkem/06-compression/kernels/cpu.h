/* What the processor can do, asked at run time. The compiler's own start-up code fills in the
 * answer before any function of the library can be called: this is a load and a test. */
#ifndef KERNELS_CPU_H
#define KERNELS_CPU_H

static inline int mk_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")
           && __builtin_cpu_supports("popcnt");
}

#endif
