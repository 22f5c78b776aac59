/* SHA-3 and SHAKE in portable C. */
#include "fips202.h"

#include <string.h>

/* iota's constants (FIPS 202, 3.2.5). */
static const uint64_t round_constants[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808A, 0x8000000080008000,
    0x000000000000808B, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008A, 0x0000000000000088, 0x0000000080008009, 0x000000008000000A,
    0x000000008000808B, 0x800000000000008B, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800A, 0x800000008000000A,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

static inline uint64_t rotate(uint64_t lane, unsigned by)
{
    return lane << by | lane >> (64 - by);
}

void fips202_permute(uint64_t lanes[25])
{
    uint64_t a[25];

    memcpy(a, lanes, sizeof a);
    for (int round = 0; round < 24; round++) {
        uint64_t b[25];
        uint64_t c0 = a[0] ^ a[5] ^ a[10] ^ a[15] ^ a[20];
        uint64_t c1 = a[1] ^ a[6] ^ a[11] ^ a[16] ^ a[21];
        uint64_t c2 = a[2] ^ a[7] ^ a[12] ^ a[17] ^ a[22];
        uint64_t c3 = a[3] ^ a[8] ^ a[13] ^ a[18] ^ a[23];
        uint64_t c4 = a[4] ^ a[9] ^ a[14] ^ a[19] ^ a[24];
        uint64_t d0 = c4 ^ rotate(c1, 1);
        uint64_t d1 = c0 ^ rotate(c2, 1);
        uint64_t d2 = c1 ^ rotate(c3, 1);
        uint64_t d3 = c2 ^ rotate(c4, 1);
        uint64_t d4 = c3 ^ rotate(c0, 1);

        /* theta, rho and pi together: the lane that moves here, and by how much it turns */
        b[0] = a[0] ^ d0;
        b[1] = rotate(a[6] ^ d1, 44);
        b[2] = rotate(a[12] ^ d2, 43);
        b[3] = rotate(a[18] ^ d3, 21);
        b[4] = rotate(a[24] ^ d4, 14);
        b[5] = rotate(a[3] ^ d3, 28);
        b[6] = rotate(a[9] ^ d4, 20);
        b[7] = rotate(a[10] ^ d0, 3);
        b[8] = rotate(a[16] ^ d1, 45);
        b[9] = rotate(a[22] ^ d2, 61);
        b[10] = rotate(a[1] ^ d1, 1);
        b[11] = rotate(a[7] ^ d2, 6);
        b[12] = rotate(a[13] ^ d3, 25);
        b[13] = rotate(a[19] ^ d4, 8);
        b[14] = rotate(a[20] ^ d0, 18);
        b[15] = rotate(a[4] ^ d4, 27);
        b[16] = rotate(a[5] ^ d0, 36);
        b[17] = rotate(a[11] ^ d1, 10);
        b[18] = rotate(a[17] ^ d2, 15);
        b[19] = rotate(a[23] ^ d3, 56);
        b[20] = rotate(a[2] ^ d2, 62);
        b[21] = rotate(a[8] ^ d3, 55);
        b[22] = rotate(a[14] ^ d4, 39);
        b[23] = rotate(a[15] ^ d0, 41);
        b[24] = rotate(a[21] ^ d1, 2);

        for (int y = 0; y < 25; y += 5) {
            a[y] = b[y] ^ (~b[y + 1] & b[y + 2]);
            a[y + 1] = b[y + 1] ^ (~b[y + 2] & b[y + 3]);
            a[y + 2] = b[y + 2] ^ (~b[y + 3] & b[y + 4]);
            a[y + 3] = b[y + 3] ^ (~b[y + 4] & b[y]);
            a[y + 4] = b[y + 4] ^ (~b[y] & b[y + 1]);
        }
        a[0] ^= round_constants[round];
    }
    memcpy(lanes, a, sizeof a);
}

/* Byte `at` of the state, whatever the machine's byte order. */
static void add_byte(uint64_t lanes[25], size_t at, uint8_t byte)
{
    lanes[at / 8] ^= (uint64_t)byte << 8 * (at % 8);
}

static void add_bytes(uint64_t lanes[25], const uint8_t *in, size_t n)
{
    size_t i = 0;

    for (; i + 8 <= n; i += 8) {
        uint64_t lane = 0;
        for (int j = 7; j >= 0; j--)
            lane = lane << 8 | in[i + (size_t)j];
        lanes[i / 8] ^= lane;
    }
    for (; i < n; i++)
        add_byte(lanes, i, in[i]);
}

static void get_bytes(uint8_t *out, const uint64_t lanes[25], size_t n)
{
    size_t i = 0;

    for (; i + 8 <= n; i += 8)
        for (size_t j = 0; j < 8; j++)
            out[i + j] = (uint8_t)(lanes[i / 8] >> 8 * j);
    for (; i < n; i++)
        out[i] = (uint8_t)(lanes[i / 8] >> 8 * (i % 8));
}

/* Absorbs `in` and the padding with the domain's suffix, up to the last permutation. */
static void absorb(uint64_t lanes[25], size_t rate, uint8_t suffix, const uint8_t *in, size_t n)
{
    for (; n >= rate; in += rate, n -= rate) {
        add_bytes(lanes, in, rate);
        fips202_permute(lanes);
    }
    add_bytes(lanes, in, n);
    add_byte(lanes, n, suffix);
    add_byte(lanes, rate - 1, 0x80);
}

static void sponge(uint8_t *out, size_t outlen, size_t rate, uint8_t suffix, const uint8_t *in,
                   size_t n)
{
    uint64_t lanes[25] = {0};

    absorb(lanes, rate, suffix, in, n);
    while (outlen > 0) {
        size_t some = outlen < rate ? outlen : rate;
        fips202_permute(lanes);
        get_bytes(out, lanes, some);
        out += some;
        outlen -= some;
    }
}

void mlk_shake128_init(mlk_shake128ctx *state)
{
    memset(state, 0, sizeof *state);
}

void mlk_shake128_absorb_once(mlk_shake128ctx *state, const uint8_t *in, size_t n)
{
    absorb(state->lanes, SHAKE128_RATE, 0x1F, in, n);
}

void mlk_shake128_squeezeblocks(uint8_t *out, size_t blocks, mlk_shake128ctx *state)
{
    for (; blocks > 0; blocks--, out += SHAKE128_RATE) {
        fips202_permute(state->lanes);
        get_bytes(out, state->lanes, SHAKE128_RATE);
    }
}

void mlk_shake128_release(mlk_shake128ctx *state)
{
    (void)state;
}

void mlk_shake256(uint8_t *out, size_t outlen, const uint8_t *in, size_t n)
{
    sponge(out, outlen, SHAKE256_RATE, 0x1F, in, n);
}

void mlk_sha3_256(uint8_t out[32], const uint8_t *in, size_t n)
{
    sponge(out, 32, SHA3_256_RATE, 0x06, in, n);
}

void mlk_sha3_512(uint8_t out[64], const uint8_t *in, size_t n)
{
    sponge(out, 64, SHA3_512_RATE, 0x06, in, n);
}
