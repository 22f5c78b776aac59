/* Four sponges at once: absorbing and padding in plain C, permuting and reading in vectors. */
#include "fips202x4.h"

#include <string.h>

#include "cpu.h"
#include "kernels.h"

static void permute(uint64_t lanes[25][4])
{
    if (mk_has_avx2()) {
        mk_keccak4_avx2(lanes);
        return;
    }
    for (int j = 0; j < 4; j++) {
        uint64_t one[25];
        for (int i = 0; i < 25; i++)
            one[i] = lanes[i][j];
        fips202_permute(one);
        for (int i = 0; i < 25; i++)
            lanes[i][j] = one[i];
    }
}

static void add_byte(uint64_t lanes[25][4], int j, size_t at, uint8_t byte)
{
    lanes[at / 8][j] ^= (uint64_t)byte << 8 * (at % 8);
}

static void absorb(uint64_t lanes[25][4], size_t rate, const uint8_t *const in[4], size_t n)
{
    size_t at = 0;

    for (size_t done = 0; done < n; done++) {
        for (int j = 0; j < 4; j++)
            add_byte(lanes, j, at, in[j][done]);
        if (++at == rate) {
            permute(lanes);
            at = 0;
        }
    }
    for (int j = 0; j < 4; j++) {
        add_byte(lanes, j, at, 0x1F);
        add_byte(lanes, j, rate - 1, 0x80);
    }
}

/* The first n bytes of each state. */
static void get(uint8_t *const out[4], uint64_t lanes[25][4], size_t n)
{
    size_t i = 0;

    if (mk_has_avx2()) {
        i = n / 8 * 8;
        mk_keccak4_read_avx2(out, lanes, n / 8);
    }
    for (; i < n; i++)
        for (int j = 0; j < 4; j++)
            out[j][i] = (uint8_t)(lanes[i / 8][j] >> 8 * (i % 8));
}

void mlk_shake128x4_init(mlk_shake128x4ctx *state)
{
    memset(state, 0, sizeof *state);
}

void mlk_shake128x4_absorb_once(mlk_shake128x4ctx *state, const uint8_t *in0, const uint8_t *in1,
                                const uint8_t *in2, const uint8_t *in3, size_t n)
{
    const uint8_t *const in[4] = {in0, in1, in2, in3};

    absorb(state->lanes, SHAKE128_RATE, in, n);
}

void mlk_shake128x4_squeezeblocks(uint8_t *out0, uint8_t *out1, uint8_t *out2, uint8_t *out3,
                                  size_t blocks, mlk_shake128x4ctx *state)
{
    for (size_t at = 0; blocks > 0; blocks--, at += SHAKE128_RATE) {
        uint8_t *const out[4] = {out0 + at, out1 + at, out2 + at, out3 + at};
        permute(state->lanes);
        get(out, state->lanes, SHAKE128_RATE);
    }
}

void mlk_shake128x4_release(mlk_shake128x4ctx *state)
{
    (void)state;
}

void mlk_shake256x4(uint8_t *out0, uint8_t *out1, uint8_t *out2, uint8_t *out3, size_t outlen,
                    const uint8_t *in0, const uint8_t *in1, const uint8_t *in2, const uint8_t *in3,
                    size_t n)
{
    const uint8_t *const in[4] = {in0, in1, in2, in3};
    uint64_t lanes[25][4] __attribute__((aligned(32))) = {{0}};

    absorb(lanes, SHAKE256_RATE, in, n);
    for (size_t at = 0; at < outlen; at += SHAKE256_RATE) {
        uint8_t *const out[4] = {out0 + at, out1 + at, out2 + at, out3 + at};
        size_t left = outlen - at;
        permute(lanes);
        get(out, lanes, left < SHAKE256_RATE ? left : SHAKE256_RATE);
    }
}
