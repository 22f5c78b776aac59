#include "toy.h"

void somewhere_else(const uint8_t *x, size_t n, uint16_t *rank);

void toy_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    somewhere_else(x, n, rank);
}
