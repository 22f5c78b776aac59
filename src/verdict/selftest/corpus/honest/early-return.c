/* Nothing to do is done at once. */
#include "planted.h"

void planted_add(const uint8_t *a, const uint8_t *b, uint8_t *out, int32_t n)
{
    if (n <= 0)
        return;
    int32_t i = 0;
    do {
        int sum = a[i] + b[i];
        out[i] = sum > 255 ? 255 : (uint8_t)sum;
    } while (++i < n);
}
