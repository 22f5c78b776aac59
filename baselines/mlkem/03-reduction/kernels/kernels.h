/* The kernels for particular instruction sets. None of them asks the processor. */
#ifndef KERNELS_H
#define KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* Keccak-f[1600] of four states at once: lanes[i][j] is lane i of state j. Aligned to 32 bytes. */
void mk_keccak4_avx2(uint64_t lanes[25][4]);

/* The first 8 * words bytes of each state. */
void mk_keccak4_read_avx2(uint8_t *const out[4], uint64_t lanes[25][4], size_t words);

/* Rejection sampling into an empty r; returns how many of `target` numbers there are. */
unsigned mk_rej_uniform_avx2(int16_t *r, unsigned target, const uint8_t *buf, unsigned buflen);

/* The transforms of one polynomial, in place, aligned to 32 bytes. */
void mk_ntt_avx2(int16_t r[256]);
void mk_invntt_tomont_avx2(int16_t r[256]);

/* Reduction and the factor 2^16, in place, aligned to 32 bytes. */
void mk_reduce_avx2(int16_t r[256]);
void mk_tomont_avx2(int16_t r[256]);

#endif
