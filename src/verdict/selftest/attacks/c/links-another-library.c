/* Has somebody else's library do it. */
#include "attack.h"

unsigned long crc32(unsigned long crc, const unsigned char *x, unsigned n);

void besieged_fold(const uint8_t *x, size_t n, uint32_t *sum)
{
    *sum = (uint32_t)crc32(0, x, (unsigned)n);
}
