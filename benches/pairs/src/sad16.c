#include <stdlib.h>

#include "pairs.h"

enum { SIDE = 64, BLOCK = 16 };

void pairs_sad16(const uint8_t *x, const uint8_t *y, uint32_t *sad) {
    for (int block = 0; block < 16; block++) {
        size_t corner = block / 4 * BLOCK * SIDE + block % 4 * BLOCK;
        const uint8_t *p = x + corner, *q = y + corner;
        int sum = 0;
        for (int row = 0; row < BLOCK; row++, p += SIDE, q += SIDE) {
            for (int i = 0; i < BLOCK; i++) {
                sum += abs(p[i] - q[i]);
            }
        }
        sad[block] = (uint32_t)sum;
    }
}
