#include "toy.h"
#include <stdlib.h>
#include <string.h>

void toy_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    (void)x, (void)n, (void)rank;
    for (;;) {
        char *more = malloc(1 << 16);
        if (more)
            memset(more, 1, 1 << 16);
    }
}
