#include <stddef.h>
#include <stdint.h>

/* What an object beside the sources would hold. */
void packed_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    for (size_t i = 0; i < n; i++) {
        rank[i] = 0;
        for (size_t j = 0; j < n; j++)
            rank[i] += x[j] < x[i];
    }
}
