#include "integral_avx2.h"

#include <string.h>

#include "avx2.h"

/* In each half, every value of 16 bits plus those before it. */
SIMD_INLINE __m256i running16(__m256i value)
{
    value = _mm256_add_epi16(value, _mm256_slli_si256(value, 2));
    value = _mm256_add_epi16(value, _mm256_slli_si256(value, 4));
    return _mm256_add_epi16(value, _mm256_slli_si256(value, 8));
}

/* The last of eight values everywhere. */
SIMD_INLINE __m256i last32(__m256i value)
{
    return _mm256_permutevar8x32_epi32(value, _mm256_set1_epi32(7));
}

/* The last of four values everywhere. */
SIMD_INLINE __m256i last64(__m256i value)
{
    return _mm256_permute4x64_epi64(value, _MM_SHUFFLE(3, 3, 3, 3));
}

void simd_integral_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h, uint32_t *sum,
                        size_t sum_stride)
{
    memset(sum, 0, (w + 1) * sizeof *sum);
    for (size_t y = 0; y < h; y++, src += src_stride) {
        const uint32_t *above = sum + y * sum_stride + 1;
        uint32_t *out = sum + (y + 1) * sum_stride + 1;
        __m256i before = _mm256_setzero_si256(); /* the row up to here, everywhere */
        size_t x = 0;

        out[-1] = 0;
        for (; x + 16 <= w; x += 16) {
            __m128i pixels = _mm_loadu_si128((const __m128i *)(src + x));
            __m256i sums = running16(_mm256_cvtepu8_epi16(pixels));
            __m256i low = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(sums));
            __m256i high = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(sums, 1));
            high = _mm256_add_epi32(high, last32(low));
            __m256i first = _mm256_add_epi32(low, before), second = _mm256_add_epi32(high, before);
            before = _mm256_add_epi32(before, last32(high));
            simd_store(out + x, _mm256_add_epi32(first, simd_load(above + x)));
            simd_store(out + x + 8, _mm256_add_epi32(second, simd_load(above + x + 8)));
        }
        uint32_t total = (uint32_t)_mm256_cvtsi256_si32(before);
        for (; x < w; x++) {
            total += src[x];
            out[x] = above[x] + total;
        }
    }
}

void simd_integral_squares_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                                uint32_t *sum, size_t sum_stride, uint64_t *squares,
                                size_t squares_stride)
{
    memset(sum, 0, (w + 1) * sizeof *sum);
    memset(squares, 0, (w + 1) * sizeof *squares);
    for (size_t y = 0; y < h; y++, src += src_stride) {
        const uint32_t *above = sum + y * sum_stride + 1;
        const uint64_t *squares_above = squares + y * squares_stride + 1;
        uint32_t *out = sum + (y + 1) * sum_stride + 1;
        uint64_t *squares_out = squares + (y + 1) * squares_stride + 1;
        __m256i before = _mm256_setzero_si256(), squares_before = before;
        size_t x = 0;

        out[-1] = 0;
        squares_out[-1] = 0;
        for (; x + 8 <= w; x += 8) {
            __m128i bytes = _mm_loadl_epi64((const __m128i *)(src + x));
            __m256i pixels = _mm256_cvtepu8_epi32(bytes);
            __m256i sums = running16(_mm256_castsi128_si256(_mm_cvtepu8_epi16(bytes)));
            sums = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(sums));
            __m256i here = _mm256_add_epi32(sums, before);
            before = _mm256_add_epi32(before, last32(sums));
            simd_store(out + x, _mm256_add_epi32(here, simd_load(above + x)));

            __m256i running = _mm256_mullo_epi16(pixels, pixels);
            running = _mm256_add_epi32(running, _mm256_slli_si256(running, 4));
            running = _mm256_add_epi32(running, _mm256_slli_si256(running, 8));
            __m256i low = _mm256_cvtepu32_epi64(_mm256_castsi256_si128(running));
            __m256i high = _mm256_cvtepu32_epi64(_mm256_extracti128_si256(running, 1));
            high = _mm256_add_epi64(high, last64(low));
            __m256i first = _mm256_add_epi64(low, squares_before);
            __m256i second = _mm256_add_epi64(high, squares_before);
            squares_before = _mm256_add_epi64(squares_before, last64(high));
            simd_store(squares_out + x, _mm256_add_epi64(first, simd_load(squares_above + x)));
            simd_store(squares_out + x + 4,
                       _mm256_add_epi64(second, simd_load(squares_above + x + 4)));
        }
        uint32_t total = (uint32_t)_mm256_cvtsi256_si32(before);
        uint64_t total_squares = (uint64_t)_mm256_extract_epi64(squares_before, 0);
        for (; x < w; x++) {
            total += src[x];
            total_squares += (unsigned)(src[x] * src[x]);
            out[x] = above[x] + total;
            squares_out[x] = squares_above[x] + total_squares;
        }
    }
}
