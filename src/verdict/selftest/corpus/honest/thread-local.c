/* Keeps scratch memory for each thread. */
#include "planted.h"

static _Thread_local uint8_t copy[300];

void planted_add(const uint8_t *a, const uint8_t *b, uint8_t *out, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        copy[i] = a[i];
    for (int32_t i = 0; i < n; i++) {
        int sum = copy[i] + b[i];
        out[i] = sum > 255 ? 255 : (uint8_t)sum;
    }
}
