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

/* The part of a product that depends on one factor, and scalar products of 2, 3 and 4 pairs of
 * polynomials. */
void mk_mulcache_compute_avx2(int16_t x[128], const int16_t a[256]);
void mk_basemul_k2_avx2(int16_t *r, const int16_t *a, const int16_t *b, const int16_t *cache);
void mk_basemul_k3_avx2(int16_t *r, const int16_t *a, const int16_t *b, const int16_t *cache);
void mk_basemul_k4_avx2(int16_t *r, const int16_t *a, const int16_t *b, const int16_t *cache);

/* Coefficients of 12 bits to bytes and back. */
void mk_tobytes_avx2(uint8_t r[384], const int16_t a[256]);
void mk_frombytes_avx2(int16_t r[256], const uint8_t a[384]);

#endif
