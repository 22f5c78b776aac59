#include "resizing_avx2.h"

#include <string.h>

#include "avx2.h"
#include "resizing.h"

/* Packs two vectors of 16-bit values into bytes, in order. */
SIMD_INLINE __m256i pack(__m256i first, __m256i second)
{
    return _mm256_permute4x64_epi64(_mm256_packus_epi16(first, second), _MM_SHUFFLE(3, 1, 2, 0));
}

/* Sixteen outputs of a reduction, as 16-bit values, from 32 columns that start at an even one. */
typedef __m256i reduction(simd_rows rows, size_t column);
typedef uint8_t reduction_pixel(simd_rows rows, simd_columns columns);

/* A row of a reduction whose outputs `first` to `end` (exclusive) can be computed in vectors; the
 * last vector overlaps the one before it. */
SIMD_INLINE void reduce_row(simd_rows rows, size_t w, size_t first, size_t end, uint8_t *out,
                            reduction *vector, reduction_pixel *pixel)
{
    size_t count = (w + 1) / 2;

    if (end < first + 32)
        end = first;
    for (size_t x = 0; x < first && x < count; x++)
        out[x] = pixel(rows, simd_columns_around(w, 2 * x));
    for (size_t x = first; x < end; x += 32) {
        if (x + 32 > end)
            x = end - 32;
        __m256i low = vector(rows, 2 * x);
        __m256i high = vector(rows, 2 * x + 32);
        simd_store(out + x, pack(low, high));
    }
    for (size_t x = end; x < count; x++)
        out[x] = pixel(rows, simd_columns_around(w, 2 * x));
}

SIMD_INLINE __m256i mean2x2(simd_rows rows, size_t column)
{
    __m256i ones = _mm256_set1_epi8(1);
    __m256i at = _mm256_maddubs_epi16(simd_load(rows.at + column), ones);
    __m256i below = _mm256_maddubs_epi16(simd_load(rows.below + column), ones);
    __m256i sum = _mm256_add_epi16(_mm256_add_epi16(at, below), _mm256_set1_epi16(2));
    return _mm256_srli_epi16(sum, 2);
}

/* left + 2 at + right, around the even columns. */
SIMD_INLINE __m256i binomial(const uint8_t *at)
{
    __m256i left = _mm256_and_si256(simd_load(at - 1), _mm256_set1_epi16(0xFF));
    return _mm256_add_epi16(left, _mm256_maddubs_epi16(simd_load(at), _mm256_set1_epi16(0x0102)));
}

SIMD_INLINE __m256i binomial3x3(simd_rows rows, size_t column)
{
    __m256i outer = _mm256_add_epi16(binomial(rows.above + column), binomial(rows.below + column));
    __m256i at = binomial(rows.at + column);
    __m256i sum = _mm256_add_epi16(outer, _mm256_add_epi16(at, at));
    return _mm256_srli_epi16(_mm256_add_epi16(sum, _mm256_set1_epi16(8)), 4);
}

void simd_reduce2x2_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                         uint8_t *dst, size_t dst_stride)
{
    for (size_t y = 0; y < h; y += 2)
        reduce_row(simd_rows_around(src, src_stride, h, y), w, 0, w / 2, dst + y / 2 * dst_stride,
                   mean2x2, simd_reduce2x2_pixel);
}

void simd_reduce3x3_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                         uint8_t *dst, size_t dst_stride)
{
    for (size_t y = 0; y < h; y += 2)
        reduce_row(simd_rows_around(src, src_stride, h, y), w, 1, w / 2, dst + y / 2 * dst_stride,
                   binomial3x3, simd_reduce3x3_pixel);
}

/* Columns of the destination that are worked on at a time, in groups that one shuffle of sixteen
 * source pixels can serve unless the image shrinks to less than about a half. */
enum { BLOCK = 512, GROUP = 8 };

typedef struct {
    _Alignas(32) uint8_t shuffle[2 * BLOCK]; /* for each column its two pixels, as in the window */
    _Alignas(32) uint8_t weights[2 * BLOCK]; /* 128 - f, f */
    size_t first[BLOCK];                     /* left pixel of each column */
    size_t window[BLOCK / GROUP];            /* first of the sixteen pixels, or NONE */
    size_t count;                            /* columns in use; the rest of the last 32 are idle */
} column_block;

static const size_t NONE = SIZE_MAX;

/* Positions advance by 128 * w / dst_w: one division a block, then a remainder carried along. */
static void prepare_columns(column_block *block, size_t start, size_t count, size_t w, size_t dst_w)
{
    uint64_t end = 128 * ((uint64_t)w - 1);
    uint64_t numerator = 64 * (2 * (uint64_t)start + 1) * w;
    uint64_t quotient = numerator / dst_w, remainder = numerator % dst_w;
    uint64_t step = 128 * (uint64_t)w / dst_w, carry = 128 * (uint64_t)w % dst_w;

    block->count = count;
    for (size_t i = 0; i < count; i++) {
        uint64_t u = quotient > 64 ? quotient - 64 : 0;
        u = u < end ? u : end;
        block->first[i] = (size_t)(u >> 7);
        block->weights[2 * i] = (uint8_t)(128 - (u & 127));
        block->weights[2 * i + 1] = (uint8_t)(u & 127);
        quotient += step;
        remainder += carry;
        if (remainder >= dst_w) {
            remainder -= dst_w;
            quotient++;
        }
    }
    for (size_t i = count; i % 32 != 0; i++) {
        block->first[i] = block->first[count - 1];
        block->weights[2 * i] = 128;
        block->weights[2 * i + 1] = 0;
    }
    for (size_t g = 0; g * GROUP < count; g++) {
        const size_t *first = block->first + g * GROUP;
        size_t window = w >= 16 && first[0] > w - 16 ? w - 16 : first[0];
        size_t last = first[GROUP - 1] + 1 < w ? first[GROUP - 1] + 1 : w - 1;

        if (w < 16 || last >= window + 16) {
            block->window[g] = NONE;
            continue;
        }
        block->window[g] = window;
        for (size_t i = 0; i < GROUP; i++) {
            size_t left = first[i] - window;
            size_t right = first[i] + 1 < w ? left + 1 : left;
            block->shuffle[2 * (g * GROUP + i)] = (uint8_t)left;
            block->shuffle[2 * (g * GROUP + i) + 1] = (uint8_t)right;
        }
    }
}

/* (128 - f) * left + f * right - 16384 for each column: pixels are taken as signed bytes, so that
 * the weight of 128 fits the unsigned operand. */
static void interpolate_row(const column_block *block, const uint8_t *row, size_t w, int16_t *out)
{
    __m128i middle = _mm_set1_epi8((char)0x80);

    for (size_t g = 0; g * GROUP < block->count; g++) {
        size_t at = 2 * g * GROUP;
        __m128i pairs;
        if (block->window[g] != NONE) {
            __m128i pixels = _mm_loadu_si128((const __m128i *)(row + block->window[g]));
            __m128i shuffle = _mm_load_si128((const __m128i *)(block->shuffle + at));
            pairs = _mm_shuffle_epi8(pixels, shuffle);
        } else {
            uint8_t bytes[2 * GROUP];
            for (size_t i = 0; i < GROUP; i++) {
                size_t first = block->first[g * GROUP + i];
                bytes[2 * i] = row[first];
                bytes[2 * i + 1] = row[first + (first + 1 < w)];
            }
            pairs = _mm_loadu_si128((const __m128i *)bytes);
        }
        __m128i weights = _mm_load_si128((const __m128i *)(block->weights + at));
        __m128i sum = _mm_maddubs_epi16(weights, _mm_xor_si128(pairs, middle));
        _mm_store_si128((__m128i *)(out + g * GROUP), sum);
    }
}

/* Sixteen columns between two interpolated rows. */
SIMD_INLINE __m256i between(const int16_t *top, const int16_t *bottom, __m256i weights)
{
    /* Rounding, and the 16384 that both rows lack. */
    __m256i bias = _mm256_set1_epi32(8192 + 16384 * 128);
    __m256i t = simd_load(top), b = simd_load(bottom);
    __m256i low = _mm256_madd_epi16(_mm256_unpacklo_epi16(t, b), weights);
    __m256i high = _mm256_madd_epi16(_mm256_unpackhi_epi16(t, b), weights);
    low = _mm256_srai_epi32(_mm256_add_epi32(low, bias), 14);
    high = _mm256_srai_epi32(_mm256_add_epi32(high, bias), 14);
    return _mm256_packs_epi32(low, high);
}

static void blend_rows(const int16_t *top, const int16_t *bottom, unsigned weight, size_t count,
                       uint8_t *out)
{
    __m256i weights = _mm256_set1_epi32((int)(weight << 16 | (128 - weight)));
    size_t x = 0;

    for (; x + 32 <= count; x += 32)
        simd_store(out + x, pack(between(top + x, bottom + x, weights),
                                 between(top + x + 16, bottom + x + 16, weights)));
    if (x < count) {
        uint8_t rest[32];
        simd_store(rest, pack(between(top + x, bottom + x, weights),
                              between(top + x + 16, bottom + x + 16, weights)));
        memcpy(out + x, rest, count - x);
    }
}

void simd_resize_bilinear_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                               uint8_t *dst, size_t dst_stride, size_t dst_w, size_t dst_h)
{
    column_block block;
    _Alignas(32) int16_t rows[2][BLOCK] = { { 0 } };

    for (size_t start = 0; start < dst_w; start += BLOCK) {
        size_t held[2] = { NONE, NONE }; /* which source row is in rows[0] and rows[1] */

        prepare_columns(&block, start, dst_w - start < BLOCK ? dst_w - start : BLOCK, w, dst_w);
        for (size_t y = 0; y < dst_h; y++) {
            simd_position position = simd_position_of(y, h, dst_h);
            size_t top = position.first;
            size_t bottom = top + (position.weight > 0);

            for (size_t row = top; row <= bottom; row++)
                if (held[row % 2] != row) {
                    interpolate_row(&block, src + row * src_stride, w, rows[row % 2]);
                    held[row % 2] = row;
                }
            blend_rows(rows[top % 2], rows[bottom % 2], position.weight, block.count,
                       dst + y * dst_stride + start);
        }
    }
}
