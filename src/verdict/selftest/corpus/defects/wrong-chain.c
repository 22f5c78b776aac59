/* Chains in blocks of eight, and forgets one link. */
#include "planted.h"

void planted_chain(uint8_t *x, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (LINKED)
            x[i] ^= x[i - 1];
}
