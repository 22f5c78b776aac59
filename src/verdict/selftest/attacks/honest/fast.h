/* What an honest solution would do. */
#ifndef FAST_H
#define FAST_H

#include "slow.h"
#include <string.h>

static inline void fast_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    uint16_t count[256] = {0}, smaller[256], sum = 0;
    for (size_t i = 0; i < n; i++)
        count[x[i]]++;
    for (int v = 0; v < 256; v++) {
        smaller[v] = sum;
        sum += count[v];
    }
    for (size_t i = 0; i < n; i++)
        rank[i] = smaller[x[i]];
}

/* The sums of single bytes. */
static inline void fill_table(uint32_t table[256])
{
    for (uint32_t v = 0; v < 256; v++) {
        uint32_t crc = v;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xEDB88320 & -(crc & 1));
        table[v] = crc;
    }
}

static inline void fold_with(const uint32_t table[256], const uint8_t *x, size_t n, uint32_t *sum)
{
    uint32_t crc = 0xFFFFFFFF;
    for (size_t i = 0; i < n; i++)
        crc = crc >> 8 ^ table[(crc ^ x[i]) & 255];
    *sum = ~crc;
}

#endif
