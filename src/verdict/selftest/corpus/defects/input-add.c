/* Changes an input and puts it back. */
#include "planted.h"

void planted_add(const uint8_t *a, const uint8_t *b, uint8_t *out, int32_t n)
{
    uint8_t *own = (uint8_t *)a;
    if (n > 0) {
        uint8_t last = own[n - 1];
        *(volatile uint8_t *)(own + n - 1) = 0;
        own[n - 1] = last;
    }
    for (int32_t i = 0; i < n; i++) {
        int sum = a[i] + b[i];
        out[i] = sum > 255 ? 255 : (uint8_t)sum;
    }
}
