/* Keccak-f[1600] (FIPS 202, 3.3) of four states: each vector holds one lane of all four. */
#include <immintrin.h>

#include "kernels.h"

/* iota's constants (FIPS 202, 3.2.5). */
static const uint64_t round_constants[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808A, 0x8000000080008000,
    0x000000000000808B, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008A, 0x0000000000000088, 0x0000000080008009, 0x000000008000000A,
    0x000000008000808B, 0x800000000000008B, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800A, 0x800000008000000A,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

#define XOR _mm256_xor_si256
#define ROTATE(v, by) _mm256_or_si256(_mm256_slli_epi64(v, by), _mm256_srli_epi64(v, 64 - (by)))

/* One plane of the new state: five lanes of the old one, turned, then chi. */
#define PLANE(y, i0, d0, r0, i1, d1, r1, i2, d2, r2, i3, d3, r3, i4, d4, r4)                  \
    do {                                                                                      \
        __m256i b0 = r0(XOR(a[i0], d0)), b1 = r1(XOR(a[i1], d1)), b2 = r2(XOR(a[i2], d2));    \
        __m256i b3 = r3(XOR(a[i3], d3)), b4 = r4(XOR(a[i4], d4));                             \
        e[y] = XOR(b0, _mm256_andnot_si256(b1, b2));                                          \
        e[y + 1] = XOR(b1, _mm256_andnot_si256(b2, b3));                                      \
        e[y + 2] = XOR(b2, _mm256_andnot_si256(b3, b4));                                      \
        e[y + 3] = XOR(b3, _mm256_andnot_si256(b4, b0));                                      \
        e[y + 4] = XOR(b4, _mm256_andnot_si256(b0, b1));                                      \
    } while (0)

#define R0(v) (v)
#define R1(v) ROTATE(v, 1)
#define R2(v) ROTATE(v, 2)
#define R3(v) ROTATE(v, 3)
#define R6(v) ROTATE(v, 6)
#define R10(v) ROTATE(v, 10)
#define R14(v) ROTATE(v, 14)
#define R15(v) ROTATE(v, 15)
#define R18(v) ROTATE(v, 18)
#define R20(v) ROTATE(v, 20)
#define R21(v) ROTATE(v, 21)
#define R25(v) ROTATE(v, 25)
#define R27(v) ROTATE(v, 27)
#define R28(v) ROTATE(v, 28)
#define R36(v) ROTATE(v, 36)
#define R39(v) ROTATE(v, 39)
#define R41(v) ROTATE(v, 41)
#define R43(v) ROTATE(v, 43)
#define R44(v) ROTATE(v, 44)
#define R45(v) ROTATE(v, 45)
#define R55(v) ROTATE(v, 55)
#define R61(v) ROTATE(v, 61)
#define R62(v) ROTATE(v, 62)
/* Whole bytes: one shuffle. */
#define R8(v) _mm256_shuffle_epi8(v, turn8)
#define R56(v) _mm256_shuffle_epi8(v, turn56)

static inline __attribute__((always_inline)) void round_of(__m256i *e, const __m256i *a,
                                                           uint64_t constant)
{
    const __m256i turn8 = _mm256_setr_epi8(7, 0, 1, 2, 3, 4, 5, 6, 15, 8, 9, 10, 11, 12, 13, 14, 7,
                                           0, 1, 2, 3, 4, 5, 6, 15, 8, 9, 10, 11, 12, 13, 14);
    const __m256i turn56 = _mm256_setr_epi8(1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12, 13, 14, 15, 8, 1,
                                            2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12, 13, 14, 15, 8);
    __m256i c0 = XOR(XOR(XOR(a[0], a[5]), XOR(a[10], a[15])), a[20]);
    __m256i c1 = XOR(XOR(XOR(a[1], a[6]), XOR(a[11], a[16])), a[21]);
    __m256i c2 = XOR(XOR(XOR(a[2], a[7]), XOR(a[12], a[17])), a[22]);
    __m256i c3 = XOR(XOR(XOR(a[3], a[8]), XOR(a[13], a[18])), a[23]);
    __m256i c4 = XOR(XOR(XOR(a[4], a[9]), XOR(a[14], a[19])), a[24]);
    __m256i d0 = XOR(c4, R1(c1)), d1 = XOR(c0, R1(c2)), d2 = XOR(c1, R1(c3));
    __m256i d3 = XOR(c2, R1(c4)), d4 = XOR(c3, R1(c0));

    PLANE(0, 0, d0, R0, 6, d1, R44, 12, d2, R43, 18, d3, R21, 24, d4, R14);
    e[0] = XOR(e[0], _mm256_set1_epi64x((long long)constant));
    PLANE(5, 3, d3, R28, 9, d4, R20, 10, d0, R3, 16, d1, R45, 22, d2, R61);
    PLANE(10, 1, d1, R1, 7, d2, R6, 13, d3, R25, 19, d4, R8, 20, d0, R18);
    PLANE(15, 4, d4, R27, 5, d0, R36, 11, d1, R10, 17, d2, R15, 23, d3, R56);
    PLANE(20, 2, d2, R62, 8, d3, R55, 14, d4, R39, 15, d0, R41, 21, d1, R2);
}

void mk_keccak4_avx2(uint64_t lanes[25][4])
{
    __m256i a[25], e[25];

    for (int i = 0; i < 25; i++)
        a[i] = _mm256_load_si256((const __m256i *)lanes[i]);
    for (int round = 0; round < 24; round += 2) {
        round_of(e, a, round_constants[round]);
        round_of(a, e, round_constants[round + 1]);
    }
    for (int i = 0; i < 25; i++)
        _mm256_store_si256((__m256i *)lanes[i], a[i]);
}

void mk_keccak4_read_avx2(uint8_t *const out[4], uint64_t lanes[25][4], size_t words)
{
    size_t i = 0;

    /* a 4x4 matrix of lanes, turned over */
    for (; i + 4 <= words; i += 4) {
        __m256i v0 = _mm256_load_si256((const __m256i *)lanes[i]);
        __m256i v1 = _mm256_load_si256((const __m256i *)lanes[i + 1]);
        __m256i v2 = _mm256_load_si256((const __m256i *)lanes[i + 2]);
        __m256i v3 = _mm256_load_si256((const __m256i *)lanes[i + 3]);
        __m256i even01 = _mm256_unpacklo_epi64(v0, v1), odd01 = _mm256_unpackhi_epi64(v0, v1);
        __m256i even23 = _mm256_unpacklo_epi64(v2, v3), odd23 = _mm256_unpackhi_epi64(v2, v3);
        __m256i s0 = _mm256_permute2x128_si256(even01, even23, 0x20);
        __m256i s1 = _mm256_permute2x128_si256(odd01, odd23, 0x20);
        __m256i s2 = _mm256_permute2x128_si256(even01, even23, 0x31);
        __m256i s3 = _mm256_permute2x128_si256(odd01, odd23, 0x31);
        _mm256_storeu_si256((__m256i *)(out[0] + 8 * i), s0);
        _mm256_storeu_si256((__m256i *)(out[1] + 8 * i), s1);
        _mm256_storeu_si256((__m256i *)(out[2] + 8 * i), s2);
        _mm256_storeu_si256((__m256i *)(out[3] + 8 * i), s3);
    }
    for (; i < words; i++)
        for (int j = 0; j < 4; j++)
            __builtin_memcpy(out[j] + 8 * i, &lanes[i][j], 8);
}
