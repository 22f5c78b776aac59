/* SHA-3 and SHAKE (FIPS 202), as far as ML-KEM needs them. */
#ifndef FIPS202_H
#define FIPS202_H

#include <stddef.h>
#include <stdint.h>

#define SHAKE128_RATE 168
#define SHAKE256_RATE 136
#define SHA3_256_RATE 136
#define SHA3_512_RATE 72

/* A sponge: lane x + 5 y of the standard's state. Whole blocks only, so it needs no position. */
typedef struct {
    uint64_t lanes[25];
} mlk_shake128ctx;

/* Keccak-f[1600]. */
void fips202_permute(uint64_t lanes[25]);

void mlk_shake128_init(mlk_shake128ctx *state);
/* The whole input at once, then padding. */
void mlk_shake128_absorb_once(mlk_shake128ctx *state, const uint8_t *in, size_t n);
/* The next `blocks` blocks of SHAKE128_RATE bytes. */
void mlk_shake128_squeezeblocks(uint8_t *out, size_t blocks, mlk_shake128ctx *state);
void mlk_shake128_release(mlk_shake128ctx *state);

void mlk_shake256(uint8_t *out, size_t outlen, const uint8_t *in, size_t n);
void mlk_sha3_256(uint8_t out[32], const uint8_t *in, size_t n);
void mlk_sha3_512(uint8_t out[64], const uint8_t *in, size_t n);

#endif
