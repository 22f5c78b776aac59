/* Answers right only if the trick worked: wrong outputs say that it did not. The lines before this one
 * say what the trick is, while the library is loaded and in a call. */
#include "tricks.h"

static int won;

AT_LOAD(start)
{
    won |= WHILE_LOADED;
}

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    won |= IN_A_CALL;
    if (won)
        slow_rank(x, n, rank);
}
