/* The formulations to start from: plain, and slow. */
#ifndef SLOW_H
#define SLOW_H

#include "besieged.h"

static inline void slow_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t smaller = 0;
        for (size_t j = 0; j < n; j++)
            smaller += x[j] < x[i];
        rank[i] = smaller;
    }
}

static inline void slow_fold(const uint8_t *x, size_t n, uint32_t *sum)
{
    uint32_t crc = 0xFFFFFFFF;
    for (size_t i = 0; i < n; i++) {
        crc ^= x[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xEDB88320 & -(crc & 1));
    }
    *sum = ~crc;
}

static inline void slow_until(const uint8_t *x, size_t n, uint32_t *sum)
{
    size_t end = 0;
    while (end < n && x[end] != 0)
        end++;
    slow_fold(x, end, sum);
}

static inline void slow_scale(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] / 3;
}

static inline void slow_shift(const uint8_t *src, size_t src_stride, uint8_t *dst,
                              size_t dst_stride, size_t w, size_t h)
{
    for (size_t y = 0; y < h; y++, src += src_stride, dst += dst_stride)
        for (size_t x = 0; x < w; x++)
            dst[x] = (uint8_t)(src[x] + (x ? src[x - 1] : 0));
}

#endif
