#include "toy.h"

/* Right, after some milliseconds of nothing. */
void toy_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    for (volatile int nothing = 0; nothing < 20000000;)
        nothing++;
    for (size_t i = 0; i < n; i++) {
        uint16_t smaller = 0;
        for (size_t j = 0; j < n; j++)
            smaller += x[j] < x[i];
        rank[i] = smaller;
    }
}
