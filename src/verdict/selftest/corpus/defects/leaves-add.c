/* Right, and leaves something in disorder. */
#include "planted.h"

void planted_add(const uint8_t *a, const uint8_t *b, uint8_t *out, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        int sum = a[i] + b[i];
        out[i] = sum > 255 ? 255 : (uint8_t)sum;
    }
    __asm__ volatile(LEAVES ::: "memory");
}
