/* Four SHAKEs at once over inputs of one length. */
#ifndef FIPS202X4_H
#define FIPS202X4_H

#include "fips202.h"

/* lanes[i][j] is lane i of sponge j, so that a vector holds the same lane of all four. */
typedef struct {
    uint64_t lanes[25][4] __attribute__((aligned(32)));
} mlk_shake128x4ctx;

void mlk_shake128x4_init(mlk_shake128x4ctx *state);
void mlk_shake128x4_absorb_once(mlk_shake128x4ctx *state, const uint8_t *in0, const uint8_t *in1,
                                const uint8_t *in2, const uint8_t *in3, size_t n);
void mlk_shake128x4_squeezeblocks(uint8_t *out0, uint8_t *out1, uint8_t *out2, uint8_t *out3,
                                  size_t blocks, mlk_shake128x4ctx *state);
void mlk_shake128x4_release(mlk_shake128x4ctx *state);

void mlk_shake256x4(uint8_t *out0, uint8_t *out1, uint8_t *out2, uint8_t *out3, size_t outlen,
                    const uint8_t *in0, const uint8_t *in1, const uint8_t *in2, const uint8_t *in3,
                    size_t n);

#endif
