/* The contract of the task `vortex`. Bits are bits of bytes, the least significant first; `offset`
 * says how many to skip in front of the first. Inputs and outputs do not overlap. */
#ifndef VX_H
#define VX_H

#include <stddef.h>
#include <stdint.h>

/* How many of the n bits are set. */
size_t vx_count_ones(const uint8_t *bits, size_t offset, size_t n);

/* For each of m ends (at most n, ascending): how many bits in front of it are set. */
void vx_valid_counts(const uint8_t *bits, size_t offset, size_t n,
                     const uint64_t *ends, size_t m, uint64_t *counts);

/* One bit for each of n values: whether it is not 0. Bits of the last byte after the last are 0. */
void vx_pack_bools(const uint8_t *values, size_t n, uint8_t *out);

/* One bit for each of n values: whether it is below `limit`. Bits of the last word after the last
 * are 0. */
void vx_pack_less(const uint32_t *values, size_t n, uint32_t limit, uint64_t *out);

/* One bit for each of n values: whether it equals the low byte of `other`. Likewise. */
void vx_pack_equal(const uint8_t *values, size_t n, uint32_t other, uint64_t *out);

/* n bits: those that are set in `bits` and for whose rank among these a bit is set in `kept`. The
 * return value is how many those are. */
size_t vx_intersect_by_rank(const uint8_t *bits, size_t offset, size_t n,
                            const uint8_t *kept, size_t kept_offset, uint8_t *out);

/* The bits at whose places `mask` has a set bit, side by side; how many they are. Bits of the last
 * byte after the last are 0. */
size_t vx_filter_bits(const uint8_t *bits, size_t offset, size_t n,
                      const uint8_t *mask, size_t mask_offset, uint8_t *out);

/* The values at whose places `mask` has a set bit, side by side; how many they are. */
size_t vx_filter_u8(const uint8_t *values, size_t n, const uint8_t *mask, size_t offset, uint8_t *out);
size_t vx_filter_u16(const uint16_t *values, size_t n, const uint8_t *mask, size_t offset, uint16_t *out);
size_t vx_filter_u32(const uint32_t *values, size_t n, const uint8_t *mask, size_t offset, uint32_t *out);
size_t vx_filter_u64(const uint64_t *values, size_t n, const uint8_t *mask, size_t offset, uint64_t *out);

/* Where the set bit is before which `nth` others are set; n if there is none. */
size_t vx_select(const uint8_t *bits, size_t offset, size_t n, size_t nth);

/* The same of bits that are not set. */
size_t vx_select_unset(const uint8_t *bits, size_t offset, size_t n, size_t nth);

/* For each of m ranks: where the set bit is before which that many others are set; up to the first
 * rank for which there is none. The return value is how many were written. */
size_t vx_translate_ranks(const uint8_t *bits, size_t offset, size_t n,
                          const uint32_t *ranks, size_t m, uint64_t *out);

#endif
