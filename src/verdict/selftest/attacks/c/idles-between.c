/* Does something to the core whenever it is asked to prepare a call, which nobody times: the reference
 * comes next. */
#include "own-loop.h"

static struct loop loop;
static uint8_t *memory;
enum { SIZE = 24 << 20 };

#ifdef CACHES
/* Fills every cache with lines of its own that have to be written back. */
static void trouble(struct loop *l)
{
    static unsigned rounds;
    (void)l;
    for (size_t at = 0; at < SIZE; at += 64)
        memory[at] = (uint8_t)++rounds;
}
#endif

#ifdef MEMORY
/* Gives pages back and takes them again. */
static void trouble(struct loop *l)
{
    (void)l;
    madvise(memory, SIZE, MADV_DONTNEED);
    for (size_t at = 0; at < SIZE; at += 3 * 4096)
        memory[at] = 1;
    munmap(mmap(NULL, 1 << 22, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1 << 22);
}
#endif

#ifdef VECTORS
#include <immintrin.h>

/* The widest multiplications that there are, until the core is warm; registers stay dirty. */
static __attribute__((target("avx512f"))) void burn_wide(void)
{
    __m512d a = _mm512_set1_pd(1.000001), b = a, c = a, d = a;
    for (volatile int i = 0; i < 20000; i++) {
        a = _mm512_fmadd_pd(a, a, b), b = _mm512_fmadd_pd(b, b, c);
        c = _mm512_fmadd_pd(c, c, d), d = _mm512_fmadd_pd(d, d, a);
    }
    __asm__ volatile("" ::"v"(a), "v"(b), "v"(c), "v"(d));
}

static __attribute__((target("avx2,fma"))) void burn(void)
{
    __m256d a = _mm256_set1_pd(1.000001), b = a, c = a, d = a;
    for (volatile int i = 0; i < 20000; i++) {
        a = _mm256_fmadd_pd(a, a, b), b = _mm256_fmadd_pd(b, b, c);
        c = _mm256_fmadd_pd(c, c, d), d = _mm256_fmadd_pd(d, d, a);
    }
    __asm__ volatile("" ::"x"(a), "x"(b), "x"(c), "x"(d));
}

static void trouble(struct loop *l)
{
    (void)l;
    if (__builtin_cpu_supports("avx512f"))
        burn_wide();
    else if (__builtin_cpu_supports("avx2"))
        burn();
}
#endif

#ifdef QUOTA
/* Uses up the processor time that its group may have. */
static void trouble(struct loop *l)
{
    (void)l;
    dawdle(1000000);
}
#endif

AT_LOAD(start)
{
    memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    loop.staged = trouble;
    if (memory != MAP_FAILED && take_over(&loop, argc, argv))
        serve(&loop);
}
