#include "toy.h"

/* Left behind for whoever comes next. */
int toy_left;

void toy_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t smaller = 0;
        for (size_t j = 0; j < n; j++)
            smaller += x[j] < x[i];
        rank[i] = smaller;
    }
    toy_left = n > 20;
}
