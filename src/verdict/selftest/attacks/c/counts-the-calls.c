/* Works as long as it may be looked at, which is at the beginning. */
#include "attack.h"

void besieged_fold(const uint8_t *x, size_t n, uint32_t *sum)
{
    static unsigned calls;
    if (++calls < 600)
        slow_fold(x, n, sum);
}
