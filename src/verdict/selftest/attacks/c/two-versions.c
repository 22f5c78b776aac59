/* What is exported under the name of the contract is not what is called by it inside. */
#include "attack.h"

__asm__(".symver quick_rank, besieged_rank@@FAST\n.symver besieged_rank, besieged_rank@SLOW");

void quick_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    (void)x, (void)n, (void)rank;
}

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    slow_rank(x, n, rank);
}
