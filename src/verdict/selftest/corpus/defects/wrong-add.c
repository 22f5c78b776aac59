/* Right but for the elements that WRONG tells. */
#include "planted.h"
#include <stdlib.h>

static unsigned calls;

void planted_add(const uint8_t *a, const uint8_t *b, uint8_t *out, int32_t n)
{
    calls += n > 0;
    for (int32_t i = 0; i < n; i++) {
        int sum = a[i] + b[i];
        out[i] = sum > 255 ? 255 : (uint8_t)sum;
        if (WRONG)
            out[i] ^= 4;
    }
}
