/* Touches a byte of `a` that is outside. */
#include "planted.h"

void planted_add(const uint8_t *a, const uint8_t *b, uint8_t *out, int32_t n)
{
    if (n > 0)
        (void)*(const volatile uint8_t *)(a + (AT));
    for (int32_t i = 0; i < n; i++) {
        int sum = a[i] + b[i];
        out[i] = sum > 255 ? 255 : (uint8_t)sum;
    }
}
