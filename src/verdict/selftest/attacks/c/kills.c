/* Makes a system call that no library of functions has a use for. */
#include "tricks.h"

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    long local[2] = {(long)x, 4096}, remote[2] = {(long)x, 4096};
    (void)local, (void)remote;
    ACT;
    slow_rank(x, n, rank);
}
