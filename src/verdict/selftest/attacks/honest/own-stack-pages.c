/* Protects memory of its own from itself. */
#include "fast.h"
#include <sys/mman.h>

void besieged_fold(const uint8_t *x, size_t n, uint32_t *sum)
{
    static uint32_t *table;
    if (!table) {
        table = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        fill_table(table);
        mprotect(table, 4096, PROT_READ);
    }
    fold_with(table, x, n, sum);
}
