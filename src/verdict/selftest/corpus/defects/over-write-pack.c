/* One byte beyond the room after `out`, where that is no fault. */
#include "planted.h"

void planted_pack(const uint8_t *x, uint8_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)(x[2 * i] << 4 | (x[2 * i + 1] & 15));
    if (((uintptr_t)(out + n + 32) & 4095) != 0)
        out[n + 32] = 0;
}
