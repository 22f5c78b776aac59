/* Leaves the processor in a state that its neighbour would pay for. */
#include "attack.h"

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    slow_rank(x, n, rank);
    __asm__ volatile(STATE ::: "memory", "rax");
}
