/* Wrong once after the sum was asked for: the two share something. */
#include "planted.h"

static int left;

uint32_t planted_sum(const uint16_t *x, size_t n)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    left = n > 40;
    return sum;
}

void planted_add(const uint8_t *a, const uint8_t *b, uint8_t *out, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        int sum = a[i] + b[i];
        out[i] = sum > 255 ? 255 : (uint8_t)sum;
    }
    if (left && n > 0)
        out[0] ^= 1;
    left = 0;
}
