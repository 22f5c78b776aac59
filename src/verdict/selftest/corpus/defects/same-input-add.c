/* Wrong for an input that it has just seen. */
#include "planted.h"
#include <string.h>

static uint8_t last[2][512];
static int32_t last_n = -1;

void planted_add(const uint8_t *a, const uint8_t *b, uint8_t *out, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        int sum = a[i] + b[i];
        out[i] = sum > 255 ? 255 : (uint8_t)sum;
    }
    if (n > 0 && n == last_n && !memcmp(a, last[0], n) && !memcmp(b, last[1], n))
        out[n - 1] ^= 1;
    last_n = n;
    memcpy(last[0], a, n);
    memcpy(last[1], b, n);
}
