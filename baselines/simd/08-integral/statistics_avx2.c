#include "statistics_avx2.h"

#include <string.h>

#include "avx2.h"
#include "statistics.h"

/* Sum of lanes of 64 bits. */
SIMD_INLINE uint64_t total(__m256i sum)
{
    uint64_t lanes[4];
    simd_store(lanes, sum);
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

/* Adds the bytes of a vector to four lanes of 64 bits. */
SIMD_INLINE __m256i add_bytes(__m256i sum, __m256i bytes)
{
    return _mm256_add_epi64(sum, _mm256_sad_epu8(bytes, _mm256_setzero_si256()));
}

void simd_min_max_sum_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                           uint8_t *min, uint8_t *max, uint64_t *sum)
{
    __m256i least = _mm256_set1_epi8(-1), largest = _mm256_setzero_si256();
    __m256i lanes = _mm256_setzero_si256();
    uint64_t rest = 0;
    uint8_t low[32], high[32];

    for (size_t y = 0; y < h; y++) {
        const uint8_t *row = src + y * src_stride;
        size_t x = 0;

        if (w < 32) {
            for (; x < w; x++) {
                __m256i pixel = _mm256_set1_epi8((char)row[x]);
                least = _mm256_min_epu8(least, pixel);
                largest = _mm256_max_epu8(largest, pixel);
                rest += row[x];
            }
            continue;
        }
        for (; x + 32 <= w; x += 32) {
            __m256i pixels = simd_load(row + x);
            least = _mm256_min_epu8(least, pixels);
            largest = _mm256_max_epu8(largest, pixels);
            lanes = add_bytes(lanes, pixels);
        }
        if (x < w) {
            __m256i pixels = simd_load(row + w - 32);
            least = _mm256_min_epu8(least, pixels);
            largest = _mm256_max_epu8(largest, pixels);
            lanes = add_bytes(lanes, _mm256_and_si256(pixels, simd_last_bytes(w - x)));
        }
    }
    simd_store(low, least);
    simd_store(high, largest);
    for (int i = 1; i < 32; i++) {
        low[0] = low[i] < low[0] ? low[i] : low[0];
        high[0] = high[i] > high[0] ? high[i] : high[0];
    }
    *min = low[0];
    *max = high[0];
    *sum = total(lanes) + rest;
}

void simd_row_sums_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h, uint32_t *sums)
{
    for (size_t y = 0; y < h; y++) {
        const uint8_t *row = src + y * src_stride;
        __m256i even = _mm256_setzero_si256(), odd = even;
        uint64_t sum = 0;
        size_t x = 0;

        for (; x + 64 <= w; x += 64) {
            even = add_bytes(even, simd_load(row + x));
            odd = add_bytes(odd, simd_load(row + x + 32));
        }
        for (; x + 32 <= w; x += 32)
            even = add_bytes(even, simd_load(row + x));
        if (w >= 32)
            odd = add_bytes(odd, _mm256_and_si256(simd_load(row + w - 32), simd_last_bytes(w - x)));
        else
            for (; x < w; x++)
                sum += row[x];
        sums[y] = (uint32_t)(sum + total(_mm256_add_epi64(even, odd)));
    }
}

/* The sums of 32 columns. Sums of 16 bits hold 257 rows: before that they go to sums of 32 bits. */
SIMD_INLINE void columns32(const uint8_t *src, size_t stride, size_t h, uint32_t *sums)
{
    __m256i zero = _mm256_setzero_si256();
    __m256i all[4] = { zero, zero, zero, zero };

    while (h > 0) {
        size_t rows = h < 256 ? h : 256;
        __m256i low = zero, high = zero;

        h -= rows;
        for (; rows > 0; rows--, src += stride) {
            __m256i pixels = simd_load(src);
            low = _mm256_add_epi16(low, _mm256_unpacklo_epi8(pixels, zero));
            high = _mm256_add_epi16(high, _mm256_unpackhi_epi8(pixels, zero));
        }
        all[0] = _mm256_add_epi32(all[0], _mm256_unpacklo_epi16(low, zero));
        all[1] = _mm256_add_epi32(all[1], _mm256_unpackhi_epi16(low, zero));
        all[2] = _mm256_add_epi32(all[2], _mm256_unpacklo_epi16(high, zero));
        all[3] = _mm256_add_epi32(all[3], _mm256_unpackhi_epi16(high, zero));
    }
    simd_store(sums, _mm256_permute2x128_si256(all[0], all[1], 0x20));
    simd_store(sums + 8, _mm256_permute2x128_si256(all[2], all[3], 0x20));
    simd_store(sums + 16, _mm256_permute2x128_si256(all[0], all[1], 0x31));
    simd_store(sums + 24, _mm256_permute2x128_si256(all[2], all[3], 0x31));
}

void simd_column_sums_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                           uint32_t *sums)
{
    if (w < 32) {
        memset(sums, 0, w * sizeof *sums);
        for (size_t y = 0; y < h; y++)
            for (size_t x = 0; x < w; x++)
                sums[x] += src[y * src_stride + x];
        return;
    }
    for (size_t x = 0; x < w; x += 32) {
        if (x > w - 32)
            x = w - 32;
        columns32(src + x, src_stride, h, sums + x);
    }
}

/* The pixels of a row are taken in vectors k of 32, in which they have places i: x = 32 * k + i.
 * In each lane, sums of 1, k, k * k, i, k * i and i * i over the pixels that equal the index. */
typedef struct {
    __m256i ones, k, kk, i, ki, ii;
} row_moments;

SIMD_INLINE void add_vector(row_moments *m, __m256i pixels, __m256i index, uint32_t k)
{
    static const uint8_t places[32] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                        11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                        22, 23, 24, 25, 26, 27, 28, 29, 30, 31 };
    __m256i zero = _mm256_setzero_si256();
    __m256i equal = _mm256_cmpeq_epi8(pixels, index);
    __m256i ones = _mm256_sad_epu8(_mm256_and_si256(equal, _mm256_set1_epi8(1)), zero);
    __m256i place = _mm256_and_si256(equal, simd_load(places));
    __m256i i = _mm256_sad_epu8(place, zero);
    __m256i squares = _mm256_maddubs_epi16(place, place);

    m->ones = _mm256_add_epi64(m->ones, ones);
    m->k = _mm256_add_epi64(m->k, _mm256_mul_epu32(ones, _mm256_set1_epi64x(k)));
    m->kk = _mm256_add_epi64(m->kk, _mm256_mul_epu32(ones, _mm256_set1_epi64x(k * k)));
    m->i = _mm256_add_epi64(m->i, i);
    m->ki = _mm256_add_epi64(m->ki, _mm256_mul_epu32(i, _mm256_set1_epi64x(k)));
    m->ii = _mm256_add_epi32(m->ii, _mm256_madd_epi16(squares, _mm256_set1_epi16(1)));
}

/* Adjacent lanes of 32 bits added. */
SIMD_INLINE __m256i widen(__m256i sum)
{
    return _mm256_add_epi64(_mm256_srli_epi64(sum, 32),
                            _mm256_and_si256(sum, _mm256_set1_epi64x(0xFFFFFFFF)));
}

void simd_moments_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h, uint8_t index,
                       uint64_t *moments)
{
    __m256i equal = _mm256_set1_epi8((char)index);
    uint64_t sums[6] = { 0 };

    for (size_t y = 0; y < h; y++) {
        const uint8_t *row = src + y * src_stride;
        __m256i zero = _mm256_setzero_si256();
        row_moments m = { zero, zero, zero, zero, zero, zero };
        size_t x = 0;

        for (; x + 32 <= w; x += 32)
            add_vector(&m, simd_load(row + x), equal, (uint32_t)(x / 32));
        uint64_t ones = total(m.ones);
        uint64_t first = 32 * total(m.k) + total(m.i);
        sums[0] += ones;
        sums[1] += first;
        sums[2] += y * ones;
        sums[3] += 1024 * total(m.kk) + 64 * total(m.ki) + total(widen(m.ii));
        sums[4] += y * first;
        sums[5] += y * y * ones;
        for (; x < w; x++)
            if (row[x] == index)
                simd_add_moments(sums, x, y);
    }
    memcpy(moments, sums, sizeof sums);
}

/* Products of 32 pairs of pixels, added to lanes of 32 bits: each gains at most 4 * 255 * 255. */
typedef __m256i product(__m256i a, __m256i b);

SIMD_INLINE __m256i multiply(__m256i a, __m256i b)
{
    __m256i zero = _mm256_setzero_si256();
    __m256i low = _mm256_madd_epi16(_mm256_unpacklo_epi8(a, zero), _mm256_unpacklo_epi8(b, zero));
    __m256i high = _mm256_madd_epi16(_mm256_unpackhi_epi8(a, zero), _mm256_unpackhi_epi8(b, zero));
    return _mm256_add_epi32(low, high);
}

SIMD_INLINE __m256i square_difference(__m256i a, __m256i b)
{
    __m256i difference = _mm256_or_si256(_mm256_subs_epu8(a, b), _mm256_subs_epu8(b, a));
    return multiply(difference, difference);
}

/* A row is taken in pieces that lanes of 32 bits can hold: 2^12 vectors. */
enum { PIECE = 1 << 17 };

SIMD_INLINE __m256i sum_row(const uint8_t *a, const uint8_t *b, size_t w, product *vector)
{
    __m256i sum = _mm256_setzero_si256();

    for (size_t start = 0; start < w; start += PIECE) {
        size_t end = w - start < PIECE ? w : start + PIECE, x = start;
        __m256i lanes = _mm256_setzero_si256();

        for (; x + 32 <= end; x += 32)
            lanes = _mm256_add_epi32(lanes, vector(simd_load(a + x), simd_load(b + x)));
        if (x < end) {
            __m256i mask = simd_last_bytes(end - x);
            __m256i last = vector(_mm256_and_si256(simd_load(a + end - 32), mask),
                                  _mm256_and_si256(simd_load(b + end - 32), mask));
            lanes = _mm256_add_epi32(lanes, last);
        }
        sum = _mm256_add_epi64(sum, widen(lanes));
    }
    return sum;
}

uint64_t simd_correlation_sum_avx2(const uint8_t *a, size_t a_stride, const uint8_t *b,
                                   size_t b_stride, size_t w, size_t h)
{
    __m256i lanes = _mm256_setzero_si256();
    uint64_t rest = 0;

    for (size_t y = 0; y < h; y++, a += a_stride, b += b_stride)
        if (w >= 32)
            lanes = _mm256_add_epi64(lanes, sum_row(a, b, w, multiply));
        else
            for (size_t x = 0; x < w; x++)
                rest += (unsigned)(a[x] * b[x]);
    return total(lanes) + rest;
}

uint64_t simd_squared_difference_sum_avx2(const uint8_t *a, size_t a_stride, const uint8_t *b,
                                          size_t b_stride, size_t w, size_t h)
{
    __m256i lanes = _mm256_setzero_si256();
    uint64_t rest = 0;

    for (size_t y = 0; y < h; y++, a += a_stride, b += b_stride)
        if (w >= 32)
            lanes = _mm256_add_epi64(lanes, sum_row(a, b, w, square_difference));
        else
            for (size_t x = 0; x < w; x++)
                rest += simd_squared_difference(a[x], b[x]);
    return total(lanes) + rest;
}

/* Neighbouring pixels are counted in tables of their own: adding to a count that has just been
 * stored would wait for it, and in images equal pixels stand side by side. */
void simd_histogram_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                         uint32_t *histogram)
{
    uint32_t counts[8][256] = { { 0 } };

    for (size_t y = 0; y < h; y++) {
        const uint8_t *row = src + y * src_stride;
        size_t x = 0;

        for (; x + 8 <= w; x += 8) {
            uint64_t pixels;
            memcpy(&pixels, row + x, 8);
#pragma GCC unroll 8
            for (int i = 0; i < 8; i++)
                counts[i][pixels >> (8 * i) & 255]++;
        }
        for (; x < w; x++)
            counts[x % 8][row[x]]++;
    }
    for (int value = 0; value < 256; value += 8) {
        __m256i sum = simd_load(counts[0] + value);
        for (int i = 1; i < 8; i++)
            sum = _mm256_add_epi32(sum, simd_load(counts[i] + value));
        simd_store(histogram + value, sum);
    }
}

/* Sixteen shuffles, one for each sixteen entries of the table. A shuffle gives 0 where the index is
 * negative, and takes its low four bits otherwise. Indices go down by 16 at a time until negative;
 * a step's table holds the *change* from the entries before, so that what has been picked up by
 * then, added without carry, is the entry. The upper half of the table has indices of its own. */
SIMD_INLINE __m256i look_up(const __m256i steps[16], __m256i at)
{
    __m256i low = at, high = _mm256_xor_si256(at, _mm256_set1_epi8((char)0x80));
    __m256i value = _mm256_setzero_si256(), sixteen = _mm256_set1_epi8(16);

#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        value = _mm256_xor_si256(value, _mm256_shuffle_epi8(steps[i], low));
        value = _mm256_xor_si256(value, _mm256_shuffle_epi8(steps[8 + i], high));
        low = _mm256_subs_epi8(low, sixteen);
        high = _mm256_subs_epi8(high, sixteen);
    }
    return value;
}

void simd_look_up_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                       const uint8_t *table, uint8_t *dst, size_t dst_stride)
{
    __m256i steps[16];

    for (int i = 0; i < 16; i++) {
        __m128i entries = _mm_loadu_si128((const __m128i *)(table + 16 * i));
        if (i % 8 != 0)
            entries = _mm_xor_si128(entries,
                                    _mm_loadu_si128((const __m128i *)(table + 16 * (i - 1))));
        steps[i] = _mm256_broadcastsi128_si256(entries);
    }
    for (size_t y = 0; y < h; y++) {
        const uint8_t *row = src + y * src_stride;
        uint8_t *out = dst + y * dst_stride;

        if (w < 32) {
            for (size_t x = 0; x < w; x++)
                out[x] = table[row[x]];
            continue;
        }
        for (size_t x = 0; x < w; x += 32) {
            if (x > w - 32)
                x = w - 32;
            simd_store(out + x, look_up(steps, simd_load(row + x)));
        }
    }
}
