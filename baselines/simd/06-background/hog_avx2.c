#include "hog_avx2.h"

#include <string.h>

#include "avx2.h"
#include "hog.h"

enum { PAIR = 2 * SIMD_HOG_DIRECTIONS };

/* Direction and magnitude of sixteen pixels, 16 bits each. */
typedef struct {
    __m256i direction, magnitude;
} gradients;

SIMD_INLINE __m256i load16(const uint8_t *from)
{
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)from));
}

/* The square roots of 32-bit values below 2^24, rounded down. Such a value is exact as a float, and
 * a root that is no integer is farther below the next one than rounding could move it. */
SIMD_INLINE __m256i root(__m256i value)
{
    return _mm256_cvttps_epi32(_mm256_sqrt_ps(_mm256_cvtepi32_ps(value)));
}

typedef struct {
    __m256i length, direction;
} best;

/* Lengths are at most 64 * 255 * 1.5 and fit 16 bits. An equal one does not replace an earlier. */
SIMD_INLINE best better(best old, __m256i length, int direction)
{
    __m256i longer = _mm256_cmpgt_epi16(length, old.length);
    best new = { _mm256_max_epi16(length, old.length),
                 _mm256_blendv_epi8(old.direction, _mm256_set1_epi16((short)direction), longer) };
    return new;
}

SIMD_INLINE gradients sixteen(const uint8_t *above, const uint8_t *at, const uint8_t *below)
{
    __m256i dx = _mm256_sub_epi16(load16(at + 1), load16(at - 1));
    __m256i dy = _mm256_sub_epi16(load16(below), load16(above));
    __m256i low = _mm256_unpacklo_epi16(dx, dy), high = _mm256_unpackhi_epi16(dx, dy);
    __m256i magnitude = _mm256_packs_epi32(root(_mm256_madd_epi16(low, low)),
                                           root(_mm256_madd_epi16(high, high)));

    /* Directions i and 9 - i have the same sine and opposite cosines. */
    static const short cosines[4] = { 60, 49, 32, 11 }, sines[4] = { 22, 41, 55, 63 };
    best found = { _mm256_abs_epi16(_mm256_slli_epi16(dx, 6)), _mm256_setzero_si256() };
    __m256i opposite[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        __m256i x = _mm256_mullo_epi16(dx, _mm256_set1_epi16(cosines[i]));
        __m256i y = _mm256_mullo_epi16(dy, _mm256_set1_epi16(sines[i]));
        found = better(found, _mm256_abs_epi16(_mm256_add_epi16(y, x)), i + 1);
        opposite[i] = _mm256_abs_epi16(_mm256_sub_epi16(y, x));
    }
#pragma GCC unroll 4
    for (int i = 3; i >= 0; i--)
        found = better(found, opposite[i], 8 - i);
    gradients result = { found.direction, magnitude };
    return result;
}

static void direction_at(simd_rows rows, size_t w, size_t x, uint8_t *direction,
                         uint16_t *magnitude)
{
    simd_gradient gradient = simd_gradient_pixel(rows, simd_columns_around(w, x));
    direction[x] = gradient.direction;
    magnitude[x] = gradient.magnitude;
}

void simd_hog_directions_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                              uint8_t *direction, size_t direction_stride,
                              uint16_t *magnitude, size_t magnitude_stride)
{
    for (size_t y = 0; y < h; y++) {
        simd_rows rows = simd_rows_around(src, src_stride, h, y);
        uint8_t *directions = direction + y * direction_stride;
        uint16_t *magnitudes = magnitude + y * magnitude_stride;

        if (w < 18) {
            for (size_t x = 0; x < w; x++)
                direction_at(rows, w, x, directions, magnitudes);
            continue;
        }
        direction_at(rows, w, 0, directions, magnitudes);
        for (size_t x = 1; x < w - 1; x += 16) {
            if (x > w - 17)
                x = w - 17;
            gradients g = sixteen(rows.above + x, rows.at + x, rows.below + x);
            __m128i packed = _mm_packus_epi16(_mm256_castsi256_si128(g.direction),
                                              _mm256_extracti128_si256(g.direction, 1));
            _mm_storeu_si128((__m128i *)(directions + x), packed);
            simd_store(magnitudes + x, g.magnitude);
        }
        direction_at(rows, w, w - 1, directions, magnitudes);
    }
}

/* Adds each direction's magnitudes to its sums, one a column. A cell has eight columns: its sums
 * are in one half of each vector. */
SIMD_INLINE void gather(gradients g, __m256i sums[SIMD_HOG_DIRECTIONS])
{
#pragma GCC unroll 9
    for (int i = 0; i < SIMD_HOG_DIRECTIONS; i++) {
        __m256i here = _mm256_cmpeq_epi16(g.direction, _mm256_set1_epi16((short)i));
        sums[i] = _mm256_add_epi16(sums[i], _mm256_and_si256(here, g.magnitude));
    }
}

/* Writes the histograms of one or two cells: the total of a cell is at most 64 * 360. */
SIMD_INLINE void finish(const __m256i s[SIMD_HOG_DIRECTIONS], size_t cells, uint16_t *out)
{
    __m256i a = _mm256_hadd_epi16(_mm256_hadd_epi16(s[0], s[1]), _mm256_hadd_epi16(s[2], s[3]));
    __m256i b = _mm256_hadd_epi16(_mm256_hadd_epi16(s[4], s[5]), _mm256_hadd_epi16(s[6], s[7]));
    __m256i eight = _mm256_hadd_epi16(a, b);
    __m256i last = _mm256_hadd_epi16(s[8], s[8]);
    last = _mm256_hadd_epi16(last, last);
    last = _mm256_hadd_epi16(last, last);
    _mm_storeu_si128((__m128i *)out, _mm256_castsi256_si128(eight));
    out[8] = (uint16_t)_mm256_extract_epi16(last, 0);
    if (cells > 1) {
        _mm_storeu_si128((__m128i *)(out + 9), _mm256_extracti128_si256(eight, 1));
        out[17] = (uint16_t)_mm256_extract_epi16(last, 8);
    }
}

/* Loaded from 16 - n on: n ones, then zeros. */
static const uint16_t FIRST[32] = {
    0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF,
    0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF,
};

/* Pixels x - 1 to x + 16 of a row, those outside of it repeated from its ends. */
SIMD_INLINE void copy_window(const uint8_t *row, size_t w, size_t x, uint8_t window[18])
{
    size_t count = w - x < 17 ? w - x : 17;

    window[0] = row[x > 0 ? x - 1 : 0];
    memcpy(window + 1, row + x, count);
    memset(window + 1 + count, row[w - 1], 17 - count);
}

/* One or two cells at the left or the right end. */
static void histograms_at_end(const uint8_t *src, size_t stride, size_t w, size_t h, size_t x,
                              size_t top, size_t bottom, uint16_t *out)
{
    size_t columns = w - x < 16 ? w - x : 16;
    __m256i inside = simd_load(FIRST + 16 - columns);
    __m256i sums[SIMD_HOG_DIRECTIONS] = { { 0 } };

    for (size_t y = top; y < bottom; y++) {
        simd_rows rows = simd_rows_around(src, stride, h, y);
        uint8_t above[18], at[18], below[18];
        copy_window(rows.above, w, x, above);
        copy_window(rows.at, w, x, at);
        copy_window(rows.below, w, x, below);
        gradients g = sixteen(above + 1, at + 1, below + 1);
        g.magnitude = _mm256_and_si256(g.magnitude, inside);
        gather(g, sums);
    }
    finish(sums, (columns + 7) / 8, out);
}

void simd_hog_histograms_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                              uint16_t *dst, size_t dst_stride)
{
    for (size_t top = 0; top < h; top += SIMD_HOG_CELL) {
        size_t bottom = h - top < SIMD_HOG_CELL ? h : top + SIMD_HOG_CELL;
        uint16_t *row = dst + top / SIMD_HOG_CELL * dst_stride;

        for (size_t x = 0; x < w; x += 16) {
            uint16_t *out = row + x / SIMD_HOG_CELL * SIMD_HOG_DIRECTIONS;
            if (x == 0 || x + 16 >= w) {
                histograms_at_end(src, src_stride, w, h, x, top, bottom, out);
                continue;
            }
            __m256i sums[SIMD_HOG_DIRECTIONS] = { { 0 } };
            for (size_t y = top; y < bottom; y++) {
                simd_rows rows = simd_rows_around(src, src_stride, h, y);
                gather(sixteen(rows.above + x, rows.at + x, rows.below + x), sums);
            }
            finish(sums, 2, out);
        }
    }
}

/* Sum of the squares of the nine entries of a cell. */
SIMD_INLINE uint64_t cell_energy(const uint16_t *cell)
{
    __m256i value = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)cell));
    __m256i square = _mm256_mullo_epi32(value, value);
    __m256i sum = _mm256_add_epi64(_mm256_srli_epi64(square, 32),
                                   _mm256_and_si256(square, _mm256_set1_epi64x(0xFFFFFFFF)));
    __m128i half = _mm_add_epi64(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    uint64_t last = cell[8];
    return (uint64_t)_mm_extract_epi64(half, 0) + (uint64_t)_mm_extract_epi64(half, 1)
           + last * last;
}

/* Eight features. Quotients that matter are below 52, where a float is finer than 2^-18: one that
 * is no integer is at least 1 / divisor > 2^-19 below the next, too far to be rounded up to it. */
SIMD_INLINE __m128i features8(const uint16_t *values, __m256 divisor)
{
    __m256i value = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)values));
    __m256 quotient = _mm256_div_ps(_mm256_cvtepi32_ps(_mm256_slli_epi32(value, 8)), divisor);
    __m256i feature = _mm256_cvttps_epi32(_mm256_min_ps(quotient, _mm256_set1_ps(SIMD_HOG_CLIP)));
    return _mm_packs_epi32(_mm256_castsi256_si128(feature), _mm256_extracti128_si256(feature, 1));
}

/* The eighteen features of two cells side by side; the last two vectors overlap. */
SIMD_INLINE void features_of_pair(const uint16_t *cells, __m256 divisor, uint8_t *out)
{
    __m128i first = features8(cells, divisor), second = features8(cells + 8, divisor);
    __m128i last = features8(cells + 10, divisor);
    _mm_storeu_si128((__m128i *)out, _mm_packus_epi16(first, second));
    _mm_storel_epi64((__m128i *)(out + 10), _mm_packus_epi16(last, last));
}

void simd_hog_features_avx2(const uint16_t *src, size_t src_stride, size_t cells_w, size_t cells_h,
                            uint8_t *dst, size_t dst_stride)
{
    for (size_t y = 0; y + 1 < cells_h; y++) {
        const uint16_t *upper = src + y * src_stride, *lower = upper + src_stride;
        uint8_t *block = dst + y * dst_stride;
        uint64_t left = cell_energy(upper) + cell_energy(lower);

        for (size_t x = 1; x < cells_w; x++) {
            size_t next = x * SIMD_HOG_DIRECTIONS;
            uint64_t right = cell_energy(upper + next) + cell_energy(lower + next);
            /* Below 2^38: exact as a double, and so is its root, rounded down. */
            double norm = _mm_cvtsd_f64(_mm_sqrt_sd(_mm_setzero_pd(),
                                                    _mm_set_sd((double)(int64_t)(left + right))));
            __m256 divisor = _mm256_set1_ps((float)((int32_t)norm + 1));
            features_of_pair(upper + next - SIMD_HOG_DIRECTIONS, divisor, block);
            features_of_pair(lower + next - SIMD_HOG_DIRECTIONS, divisor, block + PAIR);
            block += SIMD_HOG_BLOCK;
            left = right;
        }
    }
}

/* Adds the products of 32 weights with the features of `count` windows, a block apart. Two products
 * are at most 2 * 51 * 128. */
SIMD_INLINE void multiply(__m256i weights, const uint8_t *features, int count, __m256i sums[])
{
#pragma GCC unroll 8
    for (int k = 0; k < count; k++) {
        __m256i row = simd_load(features + k * SIMD_HOG_BLOCK);
        __m256i products = _mm256_maddubs_epi16(row, weights);
        sums[k] = _mm256_add_epi32(sums[k], _mm256_madd_epi16(products, _mm256_set1_epi16(1)));
    }
}

SIMD_INLINE int32_t total(__m256i sum)
{
    __m128i half = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, _MM_SHUFFLE(1, 0, 3, 2)));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, _MM_SHUFFLE(2, 3, 0, 1)));
    return _mm_cvtsi128_si32(half);
}

/* The scores of `count` windows side by side. A row of a window has at least 36 features: in its
 * last vector the weights of those that the one before it has counted are masked. */
SIMD_INLINE void scores(const uint8_t *src, size_t stride, const int8_t *weights, size_t length,
                        size_t rows, int count, int32_t *out)
{
    __m256i sums[8] = { { 0 } };
    size_t whole = length / 32 * 32, rest = length - whole;
    __m256i mask = simd_last_bytes(rest);

    for (size_t j = 0; j < rows; j++, src += stride, weights += length) {
        for (size_t i = 0; i < whole; i += 32)
            multiply(simd_load(weights + i), src + i, count, sums);
        if (rest > 0) {
            __m256i last = _mm256_and_si256(simd_load(weights + length - 32), mask);
            multiply(last, src + length - 32, count, sums);
        }
    }
#pragma GCC unroll 8
    for (int k = 0; k < count; k++)
        out[k] = total(sums[k]);
}

void simd_hog_scores_avx2(const uint8_t *src, size_t src_stride, size_t blocks_w, size_t blocks_h,
                          const int8_t *weights, size_t window_w, size_t window_h,
                          int32_t *dst, size_t dst_stride)
{
    size_t length = window_w * SIMD_HOG_BLOCK, columns = blocks_w - window_w + 1;

    for (size_t y = 0; y + window_h <= blocks_h; y++) {
        const uint8_t *rows = src + y * src_stride;
        int32_t *out = dst + y * dst_stride;
        size_t x = 0;

        for (; x + 8 <= columns; x += 8)
            scores(rows + x * SIMD_HOG_BLOCK, src_stride, weights, length, window_h, 8, out + x);
        for (; x < columns; x++)
            scores(rows + x * SIMD_HOG_BLOCK, src_stride, weights, length, window_h, 1, out + x);
    }
}
