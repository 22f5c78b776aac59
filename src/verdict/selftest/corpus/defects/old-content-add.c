/* What it writes depends on what is there, or is not written at all. */
#include "planted.h"

void planted_add(const uint8_t *a, const uint8_t *b, uint8_t *out, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        int sum = a[i] + b[i];
        uint8_t right = sum > 255 ? 255 : (uint8_t)sum;
        WRITE;
    }
}
