/* Keeps what it was asked, and is wrong when the same comes again, but not at once. */
#include "planted.h"

static uint64_t seen[1 << 16], last;

void planted_add(const uint8_t *a, const uint8_t *b, uint8_t *out, int32_t n)
{
    uint64_t hash = 14695981039346656037u;
    for (int32_t i = 0; i < n; i++) {
        int sum = a[i] + b[i];
        hash = (hash ^ a[i]) * 1099511628211u;
        hash = (hash ^ b[i]) * 1099511628211u;
        out[i] = sum > 255 ? 255 : (uint8_t)sum;
    }
    if (n > 16 && hash != last && seen[hash >> 48] == hash)
        out[7] ^= 1;
    seen[hash >> 48] = last = hash;
}
