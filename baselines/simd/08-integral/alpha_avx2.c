#include "alpha_avx2.h"

#include "avx2.h"
#include "alpha.h"

/* Quotients of 16-bit values up to 255 * 255 by 255, rounded to nearest. */
SIMD_INLINE __m256i over_255(__m256i value)
{
    value = _mm256_add_epi16(value, _mm256_set1_epi16(128));
    return _mm256_srli_epi16(_mm256_add_epi16(value, _mm256_srli_epi16(value, 8)), 8);
}

SIMD_INLINE __m256i blend16(__m256i src, __m256i alpha, __m256i dst)
{
    __m256i rest = _mm256_sub_epi16(_mm256_set1_epi16(255), alpha);
    return over_255(_mm256_add_epi16(_mm256_mullo_epi16(src, alpha),
                                     _mm256_mullo_epi16(dst, rest)));
}

/* The destination changes in place: what is left of a row is computed pixel by pixel. */
void simd_alpha_blending_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                              const uint8_t *alpha, size_t alpha_stride, uint8_t *dst,
                              size_t dst_stride)
{
    __m256i zero = _mm256_setzero_si256();

    for (size_t y = 0; y < h; y++, src += src_stride, alpha += alpha_stride, dst += dst_stride) {
        size_t x = 0;
        for (; x + 32 <= w; x += 32) {
            __m256i s = simd_load(src + x), a = simd_load(alpha + x), d = simd_load(dst + x);
            __m256i low = blend16(_mm256_unpacklo_epi8(s, zero), _mm256_unpacklo_epi8(a, zero),
                                  _mm256_unpacklo_epi8(d, zero));
            __m256i high = blend16(_mm256_unpackhi_epi8(s, zero), _mm256_unpackhi_epi8(a, zero),
                                   _mm256_unpackhi_epi8(d, zero));
            simd_store(dst + x, _mm256_packus_epi16(low, high));
        }
        for (; x < w; x++)
            dst[x] = simd_blend_pixel(src[x], alpha[x], dst[x]);
    }
}

/* Eight pixels of BGRA. */
typedef __m256i pixels8(__m256i bgra);
typedef void pixel(const uint8_t *src, uint8_t *dst);

/* A row's last vector overlaps the one before it. */
SIMD_INLINE void convert(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                         uint8_t *dst, size_t dst_stride, pixels8 *vector, pixel *one)
{
    for (size_t y = 0; y < h; y++, src += src_stride, dst += dst_stride) {
        if (w < 8) {
            for (size_t x = 0; x < w; x++)
                one(src + 4 * x, dst + 4 * x);
            continue;
        }
        for (size_t x = 0; x < w; x += 8) {
            if (x > w - 8)
                x = w - 8;
            simd_store(dst + 4 * x, vector(simd_load(src + 4 * x)));
        }
    }
}

/* Two pixels in each half, 16 bits a value: by their alpha, and alpha itself by 255. */
SIMD_INLINE __m256i premultiply16(__m256i bgra)
{
    __m256i spread = _mm256_setr_epi8(6, 7, 6, 7, 6, 7, -1, -1, 14, 15, 14, 15, 14, 15, -1, -1,
                                      6, 7, 6, 7, 6, 7, -1, -1, 14, 15, 14, 15, 14, 15, -1, -1);
    __m256i factor = _mm256_or_si256(_mm256_shuffle_epi8(bgra, spread),
                                     _mm256_set1_epi64x((long long)255 << 48));
    return over_255(_mm256_mullo_epi16(bgra, factor));
}

SIMD_INLINE __m256i premultiply(__m256i bgra)
{
    __m256i zero = _mm256_setzero_si256();
    return _mm256_packus_epi16(premultiply16(_mm256_unpacklo_epi8(bgra, zero)),
                               premultiply16(_mm256_unpackhi_epi8(bgra, zero)));
}

void simd_alpha_premultiply_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                                 uint8_t *dst, size_t dst_stride)
{
    convert(src, src_stride, w, h, dst, dst_stride, premultiply, simd_premultiply_pixel);
}

/* Quotients below 256 have a remainder that a float of 24 bits cannot round away: those that are no
 * integer are at least 1/255 below the next. Larger ones are clamped. */
SIMD_INLINE __m256i unpremultiply(__m256i bgra)
{
    __m256i byte = _mm256_set1_epi32(255);
    __m256i alpha = _mm256_srli_epi32(bgra, 24), half = _mm256_srli_epi32(alpha, 1);
    __m256 divisor = _mm256_cvtepi32_ps(_mm256_max_epi32(alpha, _mm256_set1_epi32(1)));
    __m256i result = _mm256_setzero_si256();

#pragma GCC unroll 3
    for (int shift = 0; shift < 24; shift += 8) {
        __m256i value = _mm256_and_si256(_mm256_srli_epi32(bgra, shift), byte);
        value = _mm256_add_epi32(_mm256_sub_epi32(_mm256_slli_epi32(value, 8), value), half);
        __m256 quotient = _mm256_div_ps(_mm256_cvtepi32_ps(value), divisor);
        value = _mm256_cvttps_epi32(_mm256_min_ps(quotient, _mm256_set1_ps(255)));
        result = _mm256_or_si256(result, _mm256_slli_epi32(value, shift));
    }
    /* No alpha, no colour. */
    result = _mm256_and_si256(result, _mm256_cmpgt_epi32(alpha, _mm256_setzero_si256()));
    return _mm256_or_si256(result, _mm256_slli_epi32(alpha, 24));
}

void simd_alpha_unpremultiply_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                                   uint8_t *dst, size_t dst_stride)
{
    convert(src, src_stride, w, h, dst, dst_stride, unpremultiply, simd_unpremultiply_pixel);
}
