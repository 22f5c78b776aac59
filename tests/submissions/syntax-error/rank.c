#include "toy.h"

void toy_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    rank[0] = x[0] +;
}
