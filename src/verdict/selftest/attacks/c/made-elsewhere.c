/* Answers right only if something of the workspace was run before it was compiled. */
#include "attack.h"

#if __has_include("made.h")
#include "made.h"
#endif

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
#if MADE
    slow_rank(x, n, rank);
#endif
}
