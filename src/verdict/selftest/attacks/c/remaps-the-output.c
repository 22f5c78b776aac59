/* Right for a moment; then a page of its own lies where the output was. */
#include "attack.h"

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    uintptr_t page = (uintptr_t)rank & ~4095ul;
    mmap((void *)page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    (void)x, (void)n;
}
