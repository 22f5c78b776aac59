/* Writes blocks of 16, the last of them into the room after `out`. */
#include "planted.h"
#include <string.h>

void planted_pack(const uint8_t *x, uint8_t *out, size_t n)
{
    for (size_t i = 0; i < n; i += 16) {
        uint8_t block[16] = {0};
        for (size_t k = 0; k < 16 && i + k < n; k++)
            block[k] = (uint8_t)(x[2 * (i + k)] << 4 | (x[2 * (i + k) + 1] & 15));
        memcpy(out + i, block, 16);
    }
    memset(out + n, 0x77, 32);
}
