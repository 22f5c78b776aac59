/* Counts instead of comparing, and looks sums up. */
#include "fast.h"

static uint32_t table[256];

__attribute__((constructor)) static void start(void)
{
    fill_table(table);
}

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    fast_rank(x, n, rank);
}

void besieged_fold(const uint8_t *x, size_t n, uint32_t *sum)
{
    fold_with(table, x, n, sum);
}
