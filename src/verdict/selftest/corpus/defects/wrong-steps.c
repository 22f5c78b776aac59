/* Right but where WRONG tells. */
#include "planted.h"

void planted_steps(const uint8_t *x, uint8_t *y, size_t n)
{
    uint8_t last = 0;
    for (size_t i = 0; i < n; i++) {
        uint8_t now = x[i];
        y[i] = now - last;
        if (WRONG)
            y[i] ^= 1;
        last = now;
    }
}
