/* Square roots of integers. */
#ifndef SIMD_ROOT_H
#define SIMD_ROOT_H

#include <stdint.h>

/* The largest integer whose square is at most n, digit by digit; n is less than 4 * highest, and
 * `highest` a power of 4. */
static inline uint32_t simd_root(uint64_t n, uint64_t highest)
{
    uint64_t root = 0;

    for (uint64_t digit = highest; digit > 0; digit >>= 2) {
        if (n >= root + digit) {
            n -= root + digit;
            root = (root >> 1) + digit;
        } else {
            root >>= 1;
        }
    }
    return (uint32_t)root;
}

#endif
