/* Four SHAKEs at once over inputs of one length. */
#ifndef FIPS202X4_H
#define FIPS202X4_H

#include "fips202.h"

/* Says that four at once are no faster than one after another, so that upstream asks for no more
 * output than it needs. To be removed by whoever makes them faster. */
#define FIPS202_X4_DEFAULT_IMPLEMENTATION

typedef struct {
    mlk_shake128ctx one[4];
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
