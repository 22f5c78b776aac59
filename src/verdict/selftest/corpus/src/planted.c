/* The pristine tree. Every function is weak: a planted submission defines one of them again in a file
 * of its own, so that only that file differs. */
#include "planted.h"
#include <math.h>

#pragma weak planted_add
#pragma weak planted_sum
#pragma weak planted_checksum
#pragma weak planted_map
#pragma weak planted_flip
#pragma weak planted_digits
#pragma weak planted_chain
#pragma weak planted_pack
#pragma weak planted_halve
#pragma weak planted_mix
#pragma weak planted_squash
#pragma weak planted_dot
#pragma weak planted_residue
#pragma weak planted_total
#pragma weak planted_clamp
#pragma weak planted_depth
#pragma weak planted_smooth
#pragma weak planted_start
#pragma weak planted_feed
#pragma weak planted_finish
#pragma weak planted_steps

void planted_add(const uint8_t *a, const uint8_t *b, uint8_t *out, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        int sum = a[i] + b[i];
        out[i] = sum > 255 ? 255 : (uint8_t)sum;
    }
}

uint32_t planted_sum(const uint16_t *x, size_t n)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

uint32_t planted_checksum(const uint16_t *x, size_t n)
{
    return n ? planted_sum(x, n) : 0;
}

void planted_map(const uint16_t *x, uint16_t *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = (uint16_t)(x[i] * 40503u >> 16);
}

void planted_flip(const uint8_t *src, size_t src_stride, uint8_t *dst, size_t dst_stride,
                  int32_t w, int32_t h)
{
    for (int32_t y = 0; y < h; y++, src += src_stride, dst += dst_stride)
        for (int32_t x = 0; x < w; x++)
            dst[x] = src[w - 1 - x];
}

size_t planted_digits(const uint8_t *text, size_t n, uint8_t *values, size_t *end)
{
    size_t i = 0;
    while (i < n && text[i] >= '0' && text[i] <= '9') {
        values[i] = text[i] - '0';
        i++;
    }
    *end = i;
    return i;
}

void planted_chain(uint8_t *x, size_t n)
{
    for (size_t i = 1; i < n; i++)
        x[i] ^= x[i - 1];
}

void planted_pack(const uint8_t *x, uint8_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)(x[2 * i] << 4 | (x[2 * i + 1] & 15));
}

void planted_halve(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = isfinite(x[i]) ? x[i] * 0.5f : 0;
}

struct tally {
    uint32_t a, b;
};

void planted_start(void *state)
{
    struct tally *t = state;
    t->a = 1;
    t->b = 0;
}

void planted_feed(void *state, const uint8_t *x, int32_t n)
{
    struct tally *t = state;
    for (int32_t i = 0; i < n; i++) {
        t->a += x[i];
        t->b += t->a;
    }
}

uint32_t planted_finish(void *state)
{
    struct tally *t = state;
    return t->a ^ t->b << 9;
}

int64_t planted_mix(int8_t a, uint8_t b, int16_t c, uint16_t d, int32_t e, uint32_t f, int32_t g,
                    uint32_t h, const uint8_t *x, size_t n)
{
    int64_t sum = a + 2 * b + 3 * c + 4 * (int64_t)d + 5 * (int64_t)e + 6 * (int64_t)f
                  + 7 * (int64_t)g + 8 * (int64_t)h;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

void planted_steps(const uint8_t *x, uint8_t *y, size_t n)
{
    uint8_t last = 0;
    for (size_t i = 0; i < n; i++) {
        uint8_t now = x[i];
        y[i] = now - last;
        last = now;
    }
}

void planted_squash(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] / (1 + fabsf(x[i]));
}

float planted_dot(const float *x, const float *y, size_t n)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

void planted_residue(int16_t *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        r[i] = (int16_t)(17 * r[i] % 3329);
}

uint32_t planted_total(const uint32_t *x, size_t n)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

void planted_clamp(const int16_t *x, const int16_t *lo, const int16_t *hi, int16_t *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] < lo[i] ? lo[i] : x[i] > hi[i] ? hi[i] : x[i];
}

size_t planted_depth(const uint8_t *text, size_t n)
{
    size_t depth = 0, most = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '(' && ++depth > most)
            most = depth;
        if (text[i] == ')' && depth > 0)
            depth--;
    }
    return most;
}

void planted_smooth(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = log1pf(x[i]) / x[i];
}
