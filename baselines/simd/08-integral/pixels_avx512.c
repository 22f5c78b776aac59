#include "pixels_avx512.h"

#include <immintrin.h>

#include "pixels.h"

/* Only conversions with some arithmetic: those that just move bytes wait for memory with AVX2. */

#define SIMD_INLINE static inline __attribute__((always_inline))

/* For each of the three parts of 64 pixels of BGR, which pixel each byte is of. */
static const uint8_t THRICE[192] = {
    0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 9, 10,
    10, 10, 11, 11, 11, 12, 12, 12, 13, 13, 13, 14, 14, 14, 15, 15, 15, 16, 16, 16, 17, 17, 17,
    18, 18, 18, 19, 19, 19, 20, 20, 20, 21, 21, 21, 22, 22, 22, 23, 23, 23, 24, 24, 24, 25, 25,
    25, 26, 26, 26, 27, 27, 27, 28, 28, 28, 29, 29, 29, 30, 30, 30, 31, 31, 31, 32, 32, 32, 33,
    33, 33, 34, 34, 34, 35, 35, 35, 36, 36, 36, 37, 37, 37, 38, 38, 38, 39, 39, 39, 40, 40, 40,
    41, 41, 41, 42, 42, 42, 43, 43, 43, 44, 44, 44, 45, 45, 45, 46, 46, 46, 47, 47, 47, 48, 48,
    48, 49, 49, 49, 50, 50, 50, 51, 51, 51, 52, 52, 52, 53, 53, 53, 54, 54, 54, 55, 55, 55, 56,
    56, 56, 57, 57, 57, 58, 58, 58, 59, 59, 59, 60, 60, 60, 61, 61, 61, 62, 62, 62, 63, 63, 63,
};

/* The first `count` bytes of 64. Masked bytes are neither read nor written. */
SIMD_INLINE __mmask64 first(size_t count)
{
    return count < 64 ? ~(~(__mmask64)0 << count) : ~(__mmask64)0;
}

/* The same from the byte `skipped` on. */
SIMD_INLINE __mmask64 first_after(size_t skipped, size_t count)
{
    return count > skipped ? first(count - skipped) : 0;
}

SIMD_INLINE __m512i load(const uint8_t *from, size_t count)
{
    return _mm512_maskz_loadu_epi8(first(count), from);
}

SIMD_INLINE void store(uint8_t *to, __m512i value, size_t count)
{
    _mm512_mask_storeu_epi8(to, first(count), value);
}

/* A byte of each of 64 pixels, in order. */
typedef struct {
    __m512i b, g, r;
} colours;

/* One colour of each pixel, at these indices of all three parts together: in the first part for
 * pixels below `second`, in the third for those from `third` on. A shuffle looks at the low six
 * bits of an index, which are right for each part. */
SIMD_INLINE __m512i colour(const __m512i parts[3], __m512i index, int second, int third)
{
    __m512i value = _mm512_permutexvar_epi8(index, parts[0]);
    value = _mm512_mask_permutexvar_epi8(value, ~(__mmask64)0 << second, index, parts[1]);
    return _mm512_mask_permutexvar_epi8(value, ~(__mmask64)0 << third, index, parts[2]);
}

SIMD_INLINE colours load_bgr(const uint8_t *bgr, size_t count)
{
    __m512i parts[3], one = _mm512_set1_epi8(1);
    static const uint8_t places[64] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
    };
    __m512i place = _mm512_loadu_si512(places);
    __m512i blue = _mm512_add_epi8(_mm512_add_epi8(place, place), place);
    __m512i green = _mm512_add_epi8(blue, one), red = _mm512_add_epi8(green, one);

    for (size_t i = 0; i < 3; i++)
        parts[i] = _mm512_maskz_loadu_epi8(first_after(64 * i, 3 * count), bgr + 64 * i);
    colours c = { colour(parts, blue, 22, 43), colour(parts, green, 21, 43),
                  colour(parts, red, 21, 42) };
    return c;
}

SIMD_INLINE void store_bgr(uint8_t *bgr, colours c, size_t count)
{
    /* Every third byte, from the first on. */
    const __mmask64 third = 0x9249249249249249;

#pragma GCC unroll 3
    for (size_t i = 0; i < 3; i++) {
        __m512i pixel = _mm512_loadu_si512(THRICE + 64 * i);
        /* Byte 64 * i + j is blue where i + j is a multiple of three, and so on. */
        __mmask64 green = i == 0 ? third << 1 : i == 1 ? third : third << 2;
        __mmask64 red = i == 0 ? third << 2 : i == 1 ? third << 1 : third;
        __m512i part = _mm512_permutexvar_epi8(pixel, c.b);
        part = _mm512_mask_permutexvar_epi8(part, green, pixel, c.g);
        part = _mm512_mask_permutexvar_epi8(part, red, pixel, c.r);
        _mm512_mask_storeu_epi8(bgr + 64 * i, first_after(64 * i, 3 * count), part);
    }
}

/* Pairs of blue and green, and of red and 1, whose weight is the rounding. */
SIMD_INLINE __m512i gray(colours c)
{
    __m512i zero = _mm512_setzero_si512(), ones = _mm512_set1_epi8(1);
    __m512i blue_green = _mm512_set1_epi32(9617 << 16 | 1868);
    __m512i red_half = _mm512_set1_epi32(8192 << 16 | 4899);
    __m512i bg[2] = { _mm512_unpacklo_epi8(c.b, c.g), _mm512_unpackhi_epi8(c.b, c.g) };
    __m512i r1[2] = { _mm512_unpacklo_epi8(c.r, ones), _mm512_unpackhi_epi8(c.r, ones) };
    __m512i result[2];

#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        __m512i low = _mm512_madd_epi16(_mm512_unpacklo_epi8(bg[i], zero), blue_green);
        __m512i high = _mm512_madd_epi16(_mm512_unpackhi_epi8(bg[i], zero), blue_green);
        __m512i rest = _mm512_madd_epi16(_mm512_unpacklo_epi8(r1[i], zero), red_half);
        low = _mm512_srli_epi32(_mm512_add_epi32(low, rest), 14);
        rest = _mm512_madd_epi16(_mm512_unpackhi_epi8(r1[i], zero), red_half);
        high = _mm512_srli_epi32(_mm512_add_epi32(high, rest), 14);
        result[i] = _mm512_packs_epi32(low, high);
    }
    return _mm512_packus_epi16(result[0], result[1]);
}

/* In what follows rows are taken 64 pixels at a time, for which the compiler knows the masks, and
 * then what is left. */

void simd_bgr_to_gray_avx512(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                             uint8_t *dst, size_t dst_stride)
{
    for (size_t y = 0; y < h; y++, src += src_stride, dst += dst_stride) {
        size_t x = 0;
        for (; x + 64 <= w; x += 64)
            store(dst + x, gray(load_bgr(src + 3 * x, 64)), 64);
        if (x < w)
            store(dst + x, gray(load_bgr(src + 3 * x, w - x)), w - x);
    }
}

/* Sixteen pixels: the spread bytes, of which the fourth gives way to alpha. */
SIMD_INLINE void add_alpha(const uint8_t *src, uint8_t *dst, __m512i spread, __m512i alpha,
                           size_t count)
{
    __m512i bgr = load(src, 3 * count);
    store(dst, _mm512_mask_permutexvar_epi8(alpha, 0x7777777777777777, spread, bgr), 4 * count);
}

void simd_bgr_to_bgra_avx512(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                             uint8_t alpha, uint8_t *dst, size_t dst_stride)
{
    /* Bytes 3 * i to 3 * i + 3 of each pixel i. */
    __m512i pixel = _mm512_setr_epi32(0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45);
    __m512i spread = _mm512_add_epi32(_mm512_mullo_epi32(pixel, _mm512_set1_epi32(0x01010101)),
                                      _mm512_set1_epi32(0x03020100));
    __m512i alphas = _mm512_set1_epi8((char)alpha);

    for (size_t y = 0; y < h; y++, src += src_stride, dst += dst_stride) {
        size_t x = 0;
        for (; x + 16 <= w; x += 16)
            add_alpha(src + 3 * x, dst + 4 * x, spread, alphas, 16);
        if (x < w)
            add_alpha(src + 3 * x, dst + 4 * x, spread, alphas, w - x);
    }
}

/* The sums for luma are at most 220 * 255 + 128 and fit 16 bits without a sign. */
SIMD_INLINE __m512i luma16(__m512i b, __m512i g, __m512i r)
{
    __m512i sum = _mm512_mullo_epi16(b, _mm512_set1_epi16(25));
    sum = _mm512_add_epi16(sum, _mm512_mullo_epi16(g, _mm512_set1_epi16(129)));
    sum = _mm512_add_epi16(sum, _mm512_mullo_epi16(r, _mm512_set1_epi16(66)));
    sum = _mm512_srli_epi16(_mm512_add_epi16(sum, _mm512_set1_epi16(128)), 8);
    return _mm512_add_epi16(sum, _mm512_set1_epi16(16));
}

SIMD_INLINE __m512i luma(colours c)
{
    __m512i zero = _mm512_setzero_si512();
    return _mm512_packus_epi16(
        luma16(_mm512_unpacklo_epi8(c.b, zero), _mm512_unpacklo_epi8(c.g, zero),
               _mm512_unpacklo_epi8(c.r, zero)),
        luma16(_mm512_unpackhi_epi8(c.b, zero), _mm512_unpackhi_epi8(c.g, zero),
               _mm512_unpackhi_epi8(c.r, zero)));
}

/* Means of 32 blocks, two rows of 64 pixels. */
SIMD_INLINE __m512i means(__m512i at, __m512i below)
{
    __m512i ones = _mm512_set1_epi8(1);
    __m512i sum = _mm512_add_epi16(_mm512_maddubs_epi16(at, ones),
                                   _mm512_maddubs_epi16(below, ones));
    return _mm512_srli_epi16(_mm512_add_epi16(sum, _mm512_set1_epi16(2)), 2);
}

/* The sums for chroma are at most 112 * 255 + 128 of either sign. */
SIMD_INLINE __m256i chroma(__m512i b, __m512i g, __m512i r, short by_b, short by_g, short by_r)
{
    __m512i sum = _mm512_mullo_epi16(b, _mm512_set1_epi16(by_b));
    sum = _mm512_add_epi16(sum, _mm512_mullo_epi16(g, _mm512_set1_epi16(by_g)));
    sum = _mm512_add_epi16(sum, _mm512_mullo_epi16(r, _mm512_set1_epi16(by_r)));
    sum = _mm512_srai_epi16(_mm512_add_epi16(sum, _mm512_set1_epi16(128)), 8);
    return _mm512_cvtepi16_epi8(_mm512_add_epi16(sum, _mm512_set1_epi16(128)));
}

/* Two rows of an even number of pixels. */
SIMD_INLINE void bgr_to_yuv(const uint8_t *src_at, const uint8_t *src_below, uint8_t *upper,
                            uint8_t *lower, uint8_t *u, uint8_t *v, size_t count)
{
    colours at = load_bgr(src_at, count), below = load_bgr(src_below, count);
    __m512i b = means(at.b, below.b), g = means(at.g, below.g), r = means(at.r, below.r);
    __mmask32 blocks = (__mmask32)first(count / 2);

    store(upper, luma(at), count);
    store(lower, luma(below), count);
    _mm256_mask_storeu_epi8(u, blocks, chroma(b, g, r, 112, -74, -38));
    _mm256_mask_storeu_epi8(v, blocks, chroma(b, g, r, -18, -94, 112));
}

void simd_bgr_to_yuv420p_avx512(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                                uint8_t *y, size_t y_stride, uint8_t *u, size_t u_stride,
                                uint8_t *v, size_t v_stride)
{
    for (size_t row = 0; row < h; row += 2, u += u_stride, v += v_stride) {
        simd_rows rows = simd_rows_around(src, src_stride, h, row);
        uint8_t *upper = y + row * y_stride;
        uint8_t *lower = row + 1 < h ? upper + y_stride : upper;
        size_t even = w / 2 * 2, x = 0;

        for (; x + 64 <= even; x += 64)
            bgr_to_yuv(rows.at + 3 * x, rows.below + 3 * x, upper + x, lower + x, u + x / 2,
                       v + x / 2, 64);
        if (x < even)
            bgr_to_yuv(rows.at + 3 * x, rows.below + 3 * x, upper + x, lower + x, u + x / 2,
                       v + x / 2, even - x);
        if (even < w) {
            upper[even] = simd_luma(rows.at + 3 * even);
            lower[even] = simd_luma(rows.below + 3 * even);
            simd_chroma(rows, simd_columns_around(w, even), u + even / 2, v + even / 2);
        }
    }
}

/* Pairs of 16 bits by these weights, added. */
SIMD_INLINE __m512i weigh(__m512i pairs, int u, int v)
{
    return _mm512_madd_epi16(pairs, _mm512_set1_epi32((int)((uint32_t)v << 16
                                                            | ((uint32_t)u & 0xFFFF))));
}

/* Values of 32 bits, in the order of unpacking, divided by 256 and clamped to 16 bits. */
SIMD_INLINE __m512i over_256(__m512i low, __m512i high)
{
    return _mm512_packs_epi32(_mm512_srai_epi32(low, 8), _mm512_srai_epi32(high, 8));
}

/* 32 pixels of 16 bits a value, Y, U and V as in the formulas. */
SIMD_INLINE colours to_bgr16(__m512i y, __m512i u, __m512i v)
{
    __m512i one = _mm512_set1_epi16(1);
    __m512i low = weigh(_mm512_unpacklo_epi16(y, one), 298, 128);
    __m512i high = weigh(_mm512_unpackhi_epi16(y, one), 298, 128);
    __m512i uv_low = _mm512_unpacklo_epi16(u, v), uv_high = _mm512_unpackhi_epi16(u, v);
    colours c = { over_256(_mm512_add_epi32(low, weigh(uv_low, 516, 0)),
                           _mm512_add_epi32(high, weigh(uv_high, 516, 0))),
                  over_256(_mm512_add_epi32(low, weigh(uv_low, -100, -208)),
                           _mm512_add_epi32(high, weigh(uv_high, -100, -208))),
                  over_256(_mm512_add_epi32(low, weigh(uv_low, 0, 409)),
                           _mm512_add_epi32(high, weigh(uv_high, 0, 409))) };
    return c;
}

/* Each of the first 32 bytes twice, those of up to `count`. */
SIMD_INLINE __m512i twice(const uint8_t *from, size_t count)
{
    __m256i bytes = _mm256_maskz_loadu_epi8((__mmask32)first(count), from);
    __m512i wide = _mm512_cvtepu8_epi16(bytes);
    return _mm512_or_si512(wide, _mm512_slli_epi16(wide, 8));
}

/* Bytes as they are unpacked, less what stands for zero. */
SIMD_INLINE __m512i low16(__m512i bytes, short zero)
{
    return _mm512_sub_epi16(_mm512_unpacklo_epi8(bytes, _mm512_setzero_si512()),
                            _mm512_set1_epi16(zero));
}

SIMD_INLINE __m512i high16(__m512i bytes, short zero)
{
    return _mm512_sub_epi16(_mm512_unpackhi_epi8(bytes, _mm512_setzero_si512()),
                            _mm512_set1_epi16(zero));
}

SIMD_INLINE void yuv_to_bgr(const uint8_t *y, const uint8_t *u, const uint8_t *v, uint8_t *dst,
                            size_t count)
{
    __m512i luma = load(y, count);
    __m512i blue = twice(u, (count + 1) / 2), red = twice(v, (count + 1) / 2);
    colours low = to_bgr16(low16(luma, 16), low16(blue, 128), low16(red, 128));
    colours high = to_bgr16(high16(luma, 16), high16(blue, 128), high16(red, 128));
    colours c = { _mm512_packus_epi16(low.b, high.b), _mm512_packus_epi16(low.g, high.g),
                  _mm512_packus_epi16(low.r, high.r) };
    store_bgr(dst, c, count);
}

void simd_yuv420p_to_bgr_avx512(const uint8_t *y, size_t y_stride, const uint8_t *u,
                                size_t u_stride, const uint8_t *v, size_t v_stride, size_t w,
                                size_t h, uint8_t *dst, size_t dst_stride)
{
    for (size_t row = 0; row < h; row++, y += y_stride, dst += dst_stride) {
        const uint8_t *blue = u + row / 2 * u_stride, *red = v + row / 2 * v_stride;
        size_t x = 0;

        for (; x + 64 <= w; x += 64)
            yuv_to_bgr(y + x, blue + x / 2, red + x / 2, dst + 3 * x, 64);
        if (x < w)
            yuv_to_bgr(y + x, blue + x / 2, red + x / 2, dst + 3 * x, w - x);
    }
}
