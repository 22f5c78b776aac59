/* Writes garbage over the whole arena, whatever is done there. */
#include "own-loop.h"

static struct loop loop;

AT_LOAD(start)
{
    take_over(&loop, argc, argv);
}

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    static uint64_t state = 88172645463325252u;
    uint64_t *words = (uint64_t *)loop.page;
    for (size_t i = 0; words && i < (PAYLOAD + 65536) / 8; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        words[i] = state;
    }
    slow_rank(x, n, rank);
}
