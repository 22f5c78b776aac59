/* Uses every register that it may, and restores those that it must. */
#include "planted.h"

uint32_t planted_sum(const uint16_t *x, size_t n)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
#if defined(__x86_64__)
    __asm__ volatile("mov $-1, %%rbx\n mov %%rbx, %%r12\n mov %%rbx, %%r13\n mov %%rbx, %%r14\n"
                     "mov %%rbx, %%r15\n pcmpeqd %%xmm15, %%xmm15"
                     ::: "rbx", "r12", "r13", "r14", "r15", "xmm15");
#endif
    return sum;
}
