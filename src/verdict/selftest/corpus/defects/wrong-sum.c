/* Right but for some lengths or sizes. */
#include "planted.h"

uint32_t planted_sum(const uint16_t *x, size_t n)
{
    TYPE sum = 0;
    for (size_t i = FROM; i < n - CUT; i++)
        sum += x[i];
    return sum;
}
