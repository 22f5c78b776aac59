/* Ends the process as if all were done. */
#include "attack.h"

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    slow_rank(x, n, rank);
    END;
}
