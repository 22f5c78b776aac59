/* Reads whole aligned words around its input: more than it was given, but never another page. */
#include "planted.h"

uint32_t planted_sum(const uint16_t *x, size_t n)
{
    uint32_t sum = 0;
    for (uintptr_t at = (uintptr_t)x & ~(uintptr_t)7; at < (uintptr_t)(x + n); at += 8) {
        uint64_t word = *(const volatile uint64_t *)at;
        for (unsigned k = 0; k < 4; k++) {
            uintptr_t place = at + 2 * k;
            if (place >= (uintptr_t)x && place < (uintptr_t)(x + n))
                sum += (uint16_t)(word >> 16 * k);
        }
    }
    return sum;
}
