/* The words of the stack that hold arguments are the callee's to write. */
#include "planted.h"

#if defined(__x86_64__)
__attribute__((used)) static int64_t mix(int8_t a, uint8_t b, int16_t c, uint16_t d, int32_t e,
                                         uint32_t f, int32_t g, uint32_t h, const uint8_t *x,
                                         size_t n)
#else
int64_t planted_mix(int8_t a, uint8_t b, int16_t c, uint16_t d, int32_t e, uint32_t f, int32_t g,
                    uint32_t h, const uint8_t *x, size_t n)
#endif
{
    int64_t sum = a + 2 * b + 3 * c + 4 * (int64_t)d + 5 * (int64_t)e + 6 * (int64_t)f
                  + 7 * (int64_t)g + 8 * (int64_t)h;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

#if defined(__x86_64__)
__attribute__((naked)) int64_t planted_mix(int8_t a, uint8_t b, int16_t c, uint16_t d, int32_t e,
                                           uint32_t f, int32_t g, uint32_t h, const uint8_t *x,
                                           size_t n)
{
    /* Keeps its own copies below, and its caller's words for something else. */
    __asm__("subq $8, %rsp\n pushq 40(%rsp)\n pushq 40(%rsp)\n pushq 40(%rsp)\n pushq 40(%rsp)\n"
            "movq $-1, 48(%rsp)\n movq $-1, 56(%rsp)\n movq $-1, 64(%rsp)\n movq $-1, 72(%rsp)\n"
            "call mix\n addq $40, %rsp\n ret");
}
#endif
