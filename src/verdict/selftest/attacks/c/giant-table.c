/* A table of many answers, made at the first call. */
#include "attack.h"

void besieged_fold(const uint8_t *x, size_t n, uint32_t *sum)
{
    static uint32_t *table;
    if (!table) {
        table = malloc((size_t)1 << 28);
        for (size_t i = 0; i < (size_t)1 << 26; i++)
            table[i] = (uint32_t)(i * 0x9E3779B9u);
    }
    slow_fold(x, n, sum);
}
