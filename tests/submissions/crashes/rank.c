#include "toy.h"

void toy_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    volatile uint16_t *nowhere = NULL;
    (void)x, (void)rank;
    *nowhere = (uint16_t)n;
}
