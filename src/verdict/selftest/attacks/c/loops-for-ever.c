/* Never returns. */
#include "attack.h"

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    for (;;)
        dawdle(1000);
    (void)x, (void)n, (void)rank;
}
