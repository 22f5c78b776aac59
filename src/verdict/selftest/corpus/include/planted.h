/* The contract of the task of `speedgate selftest gate`. */
#ifndef PLANTED_H
#define PLANTED_H

#include <stddef.h>
#include <stdint.h>

/* out[i] = a[i] + b[i], 255 at most. */
void planted_add(const uint8_t *a, const uint8_t *b, uint8_t *out, int32_t n);

/* The sum of all x, modulo 2^32. */
uint32_t planted_sum(const uint16_t *x, size_t n);

/* The sum of all x; 0 without any. */
uint32_t planted_checksum(const uint16_t *x, size_t n);

/* y[i] = x[i] times 40503, upper half. */
void planted_map(const uint16_t *x, uint16_t *y, size_t n);

/* Turns each row around; strides in elements. What lies between the rows of dst stays. */
void planted_flip(const uint8_t *src, size_t src_stride, uint8_t *dst, size_t dst_stride,
                  int32_t w, int32_t h);

/* Values of the digits up to the first character that is none; their number is returned, and *end is
 * the place of that character. */
size_t planted_digits(const uint8_t *text, size_t n, uint8_t *values, size_t *end);

/* x[i] ^= x[i - 1], in order: with the new one before it. */
void planted_chain(uint8_t *x, size_t n);

/* out[i] holds the low halves of x[2 i] and x[2 i + 1]. Up to 32 bytes after out may be written. */
void planted_pack(const uint8_t *x, uint8_t *out, size_t n);

/* y[i] = x[i] / 2; 0 for what is not finite. */
void planted_halve(const float *x, float *y, size_t n);

/* A checksum in pieces; state is of 16 bytes. */
void planted_start(void *state);
void planted_feed(void *state, const uint8_t *x, int32_t n);
uint32_t planted_finish(void *state);

/* a + 2 b + 3 c + ... + 8 h, plus the sum of x. */
int64_t planted_mix(int8_t a, uint8_t b, int16_t c, uint16_t d, int32_t e, uint32_t f, int32_t g,
                    uint32_t h, const uint8_t *x, size_t n);

/* y[i] = x[i] - x[i - 1], with 0 before the first; y may be x. */
void planted_steps(const uint8_t *x, uint8_t *y, size_t n);

/* y[i] = x[i] / (1 + |x[i]|). */
void planted_squash(const float *x, float *y, size_t n);

/* The sum of x[i] y[i]. */
float planted_dot(const float *x, const float *y, size_t n);

/* r[i] = 17 r[i] modulo 3329: any residue from -3329 to 3329. */
void planted_residue(int16_t *r, size_t n);

/* The sum of all x, modulo 2^32. */
uint32_t planted_total(const uint32_t *x, size_t n);

/* x[i], but at least lo[i] and at most hi[i], where lo[i] <= hi[i]. */
void planted_clamp(const int16_t *x, const int16_t *lo, const int16_t *hi, int16_t *y, size_t n);

/* How deep the brackets of a text are nested, all of which close. */
size_t planted_depth(const uint8_t *text, size_t n);

/* y[i] = log(1 + x[i]) / x[i]. */
void planted_smooth(const float *x, float *y, size_t n);

#endif
