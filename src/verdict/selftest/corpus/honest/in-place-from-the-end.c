/* From the end to the start, so that in place nothing is overwritten too early. */
#include "planted.h"

void planted_steps(const uint8_t *x, uint8_t *y, size_t n)
{
    for (size_t i = n; i-- > 1;)
        y[i] = x[i] - x[i - 1];
    if (n > 0)
        y[0] = x[0];
}
