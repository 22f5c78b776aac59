/* The contract: what a graded ML-KEM library exports. Plain C, one symbol a scored function.
 *
 * q = 3329, R = 2^16. A polynomial is 256 coefficients int16_t, the first that of X^0; polynomials
 * that follow each other in memory have nothing between them. `count` is how many there are, 0
 * included. Arrays of int16_t are aligned to 32 bytes, arrays of bytes to nothing. Input and output
 * never overlap, except where one array is both.
 *
 * Numbers of algorithms and equations are those of FIPS 203 (August 2024).
 */
#ifndef MK_H
#define MK_H

#include <stddef.h>
#include <stdint.h>

/* montmul(a, b), for -(q-1)/2 <= b <= (q-1)/2 and any a, is the one value x with
 *     x * R = a * b - t * q,   t = a * b * q^-1 modulo R, as an int16_t,
 * so |x| < q. barrett(a) is the value in -(q-1)/2..(q-1)/2 that is a modulo q.
 *
 * zeta(i) is the value in -(q-1)/2..(q-1)/2 that is 17^bitrev7(i) * R modulo q: what the standard's
 * algorithms 9 and 10 call zeta, at their i, times R. */

/* 1. Sampling */

/* The loop of algorithm 7: reads `buf` as 12-bit numbers, little-endian, two of them in three
 * bytes, and appends those below q to the `offset` numbers that are in r already, until there are
 * `target` or the bytes run out. Returns how many there are now. What r holds after them doesn't
 * matter, as long as it is inside of its `target` elements.
 * offset <= target <= 4096; buflen <= 4096, a multiple of 3. */
uint32_t mk_rej_uniform(int16_t *r, uint32_t target, uint32_t offset, const uint8_t *buf,
                        uint32_t buflen);

/* Algorithm 7 on four seeds of 34 bytes each: the four polynomials follow each other in r. */
void mk_sample_ntt_x4(int16_t *r, const uint8_t *seeds);

/* The internal algorithms 16, 17 and 18 for k = 2, 3, 4 (ML-KEM-512, -768, -1024), with the checks
 * of sections 7.2 and 7.3; all return 0.
 *   pk  384 k + 32 bytes                     sk  768 k + 96 bytes
 *   ct  32 (10 k + 4) bytes, k = 4: 32 (11 k + 5)         ss  32 bytes
 * seed: keygen's d, z (64 bytes); encaps' m (32 bytes). */
int32_t mk_keygen(uint8_t *pk, uint8_t *sk, const uint8_t *seed, uint32_t k);
int32_t mk_encaps(uint8_t *ct, uint8_t *ss, const uint8_t *pk, const uint8_t *seed, uint32_t k);
int32_t mk_decaps(uint8_t *ss, const uint8_t *ct, const uint8_t *sk, uint32_t k);

/* Turns one bit over: between two calls, it makes a ciphertext that must be rejected. */
void mk_flip(uint8_t *bytes, uint32_t bit);

/* 2. Number-theoretic transforms, in place */

/* Algorithm 9, for coefficients in -(q-1)..q-1. Layer by layer, len = 128, 64, .., 2: with
 * t = montmul(r[j + len], zeta(i)), (r[j], r[j + len]) becomes (r[j] + t, r[j] - t), and nothing is
 * reduced in between; so |r| < 8 q at the end. */
void mk_ntt(int16_t *r, size_t count);

/* Algorithm 10 but for the factor, for any coefficients: first montmul(r, 1441), then layer by
 * layer, len = 2, 4, .., 128, (r[j], r[j + len]) becomes
 * (barrett(r[j] + r[j + len]), montmul(r[j + len] - r[j], zeta(i))). */
void mk_invntt_tomont(int16_t *r, size_t count);

/* 3. Reduction, in place, of any coefficients */

/* The value in 0..q-1 modulo q. */
void mk_reduce(int16_t *r, size_t count);

/* montmul(r, 1353), that is r * R modulo q. */
void mk_tomont(int16_t *r, size_t count);

/* 4. Multiplication */

/* The part of algorithm 12 that depends on one factor only: of each polynomial a (any
 * coefficients), x[2 i] = montmul(a[4 i + 1], zeta(64 + i)) and
 * x[2 i + 1] = montmul(a[4 i + 3], -zeta(64 + i)), i = 0..63; x has 128 numbers a polynomial. */
void mk_mulcache_compute(int16_t *x, const int16_t *a, size_t count);

/* Scalar products (algorithm 12, summed over k = 2, 3 or 4 pairs of polynomials), `count` of them:
 * a and b have k polynomials for each, cache their k caches. With the exact integers
 *     t0 = sum of a[2 i] b[2 i] + a[2 i + 1] cache[i]
 *     t1 = sum of a[2 i] b[2 i + 1] + a[2 i + 1] b[2 i]
 * r[2 i] and r[2 i + 1] are the x of montmul for t0 and t1 in the place of a * b.
 * 0 <= a <= 4095, -q < cache < q, b is anything. */
void mk_basemul_k2(int16_t *r, const int16_t *a, const int16_t *b, const int16_t *cache,
                   size_t count);
void mk_basemul_k3(int16_t *r, const int16_t *a, const int16_t *b, const int16_t *cache,
                   size_t count);
void mk_basemul_k4(int16_t *r, const int16_t *a, const int16_t *b, const int16_t *cache,
                   size_t count);

/* 5. Serialisation */

/* Algorithm 5 with d = 12: 384 bytes a polynomial, whose coefficients are in 0..q-1. */
void mk_tobytes(uint8_t *r, const int16_t *a, size_t count);

/* Algorithm 6 with d = 12, but not reduced: coefficients in 0..4095. */
void mk_frombytes(int16_t *r, const uint8_t *a, size_t count);

/* 6. Compression of coefficients in 0..q-1: equation 4.7, then algorithm 5; 32 d bytes each */
void mk_compress_d4(uint8_t *r, const int16_t *a, size_t count);
void mk_compress_d5(uint8_t *r, const int16_t *a, size_t count);
void mk_compress_d10(uint8_t *r, const int16_t *a, size_t count);
void mk_compress_d11(uint8_t *r, const int16_t *a, size_t count);

/* 7. Decompression: algorithm 6, then equation 4.8 */
void mk_decompress_d4(int16_t *r, const uint8_t *a, size_t count);
void mk_decompress_d5(int16_t *r, const uint8_t *a, size_t count);
void mk_decompress_d10(int16_t *r, const uint8_t *a, size_t count);
void mk_decompress_d11(int16_t *r, const uint8_t *a, size_t count);

#endif
