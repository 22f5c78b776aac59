/* The contract of the task of `speedgate selftest attacks`. */
#ifndef BESIEGED_H
#define BESIEGED_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* rank[i] is the number of bytes in x that are smaller than x[i]. */
void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank);

/* The CRC-32 of x. */
void besieged_fold(const uint8_t *x, size_t n, uint32_t *sum);

/* The CRC-32 of x up to its first zero. */
void besieged_until(const uint8_t *x, size_t n, uint32_t *sum);

/* y[i] = x[i] / 3. */
void besieged_scale(const float *x, float *y, size_t n);

/* Each byte plus its left neighbour, modulo 256; strides in bytes. What lies between the rows of dst
 * stays. */
void besieged_shift(const uint8_t *src, size_t src_stride, uint8_t *dst, size_t dst_stride,
                    size_t w, size_t h);

#ifdef __cplusplus
}
#endif

#endif
