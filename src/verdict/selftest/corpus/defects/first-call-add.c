/* Prepares itself for the first length it sees, and is wrong for longer ones. */
#include "planted.h"

static int32_t most = -1;

void planted_add(const uint8_t *a, const uint8_t *b, uint8_t *out, int32_t n)
{
    if (most < 0)
        most = n;
    for (int32_t i = 0; i < n; i++) {
        int sum = a[i] + b[i];
        out[i] = sum > 255 ? 255 : (uint8_t)sum;
    }
    if (n > most)
        out[most] ^= 1;
}
