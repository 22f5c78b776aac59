#include "toy.h"

/* Right but for one bit of the last element of long inputs. */
void toy_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t smaller = 0;
        for (size_t j = 0; j < n; j++)
            smaller += x[j] < x[i];
        rank[i] = smaller;
    }
    if (n >= 64)
        rank[n - 1] ^= 1;
}
