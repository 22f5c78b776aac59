#ifndef PAIRS_H
#define PAIRS_H

#include <stddef.h>
#include <stdint.h>

/* Value of the polynomial with the n coefficients at x (the highest first) at an odd constant,
   modulo 2^64. */
uint64_t pairs_poly(const uint64_t *x, size_t n);

/* FNV-1a, 64 bits, of n bytes: one chain, a byte at a time. Twice, so that a short and a long
   call are functions of their own. */
uint64_t pairs_fnv(const uint8_t *text, size_t n);
uint64_t pairs_fnv64(const uint8_t *text, size_t n);

/* Sums of absolute differences of two images of 64 x 64 pixels, one for each of the 16 blocks of
   16 x 16, row by row. */
void pairs_sad16(const uint8_t *x, const uint8_t *y, uint32_t *sad);

/* Length of the longest prefix that is whole characters of valid UTF-8. */
size_t pairs_utf8(const uint8_t *text, size_t n);

/* out[i] = x[i] ^ y[i] for n bytes. No two of the three overlap. */
void pairs_memxor(const uint8_t *x, const uint8_t *y, size_t n, uint8_t *out);

#endif
