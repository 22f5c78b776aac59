/* Right only where the library happens to lie: one place in 16. */
#include "planted.h"

static int here;

void planted_add(const uint8_t *a, const uint8_t *b, uint8_t *out, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        int sum = a[i] + b[i];
        out[i] = sum > 255 ? 255 : (uint8_t)sum;
    }
    if (n > 0 && ((uintptr_t)&here >> 12 & 15))
        out[0] ^= 1;
}
