/* Takes the code from a file. */
#include "attack.h"

__asm__(".text\npacked_rank: .incbin \"" FROM "\"");
void packed_rank(const uint8_t *x, size_t n, uint16_t *rank);

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    packed_rank(x, n, rank);
}
