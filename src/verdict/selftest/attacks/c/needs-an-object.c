/* The work is in an object that lies beside. */
#include "attack.h"

void packed_rank(const uint8_t *x, size_t n, uint16_t *rank);

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    packed_rank(x, n, rank);
}
