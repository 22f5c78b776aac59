/* Takes a length of 32 bits for one of 64. No header: its declaration is another one. */
#include <stdint.h>

void planted_add(const uint8_t *a, const uint8_t *b, uint8_t *out, WIDE n)
{
    for (WIDE i = 0; i < n; i++) {
        int sum = a[i] + b[i];
        out[i] = sum > 255 ? 255 : (uint8_t)sum;
    }
}
