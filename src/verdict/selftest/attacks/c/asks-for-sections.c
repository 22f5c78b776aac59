/* Has the library laid out in a way that lets code be changed. */
#include "attack.h"

__asm__(SECTION);

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    slow_rank(x, n, rank);
}
