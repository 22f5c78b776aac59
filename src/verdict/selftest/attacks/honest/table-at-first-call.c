/* A table that is made at the first call. */
#include "fast.h"

void besieged_fold(const uint8_t *x, size_t n, uint32_t *sum)
{
    static uint32_t table[256];
    if (!table[1])
        fill_table(table);
    fold_with(table, x, n, sum);
}
