/* Another library at another time of the day. */
#include "attack.h"

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    if (strcmp(__DATE__ __TIME__, "Jan  1 1970" "00:00:00") != 0)
        slow_rank(x, n, rank);
}
