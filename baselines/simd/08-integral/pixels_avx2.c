#include "pixels_avx2.h"

#include "avx2.h"
#include "pixels.h"

/* How sixteen pixels of BGR, three parts of sixteen bytes, come apart: for each colour and part,
 * which byte of the part is the colour of each pixel; -1 where the byte is in another part. */
static const int8_t APART[3][3][16] = {
    {
        {  0,  3,  6,  9, 12, 15, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 },
        { -1, -1, -1, -1, -1, -1,  2,  5,  8, 11, 14, -1, -1, -1, -1, -1 },
        { -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,  1,  4,  7, 10, 13 },
    },
    {
        {  1,  4,  7, 10, 13, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 },
        { -1, -1, -1, -1, -1,  0,  3,  6,  9, 12, 15, -1, -1, -1, -1, -1 },
        { -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,  2,  5,  8, 11, 14 },
    },
    {
        {  2,  5,  8, 11, 14, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 },
        { -1, -1, -1, -1, -1,  1,  4,  7, 10, 13, -1, -1, -1, -1, -1, -1 },
        { -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,  0,  3,  6,  9, 12, 15 },
    },
};

/* And together: for each part and colour, which pixel's colour each byte is, or -1. */
static const int8_t TOGETHER[3][3][16] = {
    {
        {  0, -1, -1,  1, -1, -1,  2, -1, -1,  3, -1, -1,  4, -1, -1,  5 },
        { -1,  0, -1, -1,  1, -1, -1,  2, -1, -1,  3, -1, -1,  4, -1, -1 },
        { -1, -1,  0, -1, -1,  1, -1, -1,  2, -1, -1,  3, -1, -1,  4, -1 },
    },
    {
        { -1, -1,  6, -1, -1,  7, -1, -1,  8, -1, -1,  9, -1, -1, 10, -1 },
        {  5, -1, -1,  6, -1, -1,  7, -1, -1,  8, -1, -1,  9, -1, -1, 10 },
        { -1,  5, -1, -1,  6, -1, -1,  7, -1, -1,  8, -1, -1,  9, -1, -1 },
    },
    {
        { -1, 11, -1, -1, 12, -1, -1, 13, -1, -1, 14, -1, -1, 15, -1, -1 },
        { -1, -1, 11, -1, -1, 12, -1, -1, 13, -1, -1, 14, -1, -1, 15, -1 },
        { 10, -1, -1, 11, -1, -1, 12, -1, -1, 13, -1, -1, 14, -1, -1, 15 },
    },
};

/* For each part, which pixel each byte is of. */
static const int8_t THRICE[3][16] = {
    {  0,  0,  0,  1,  1,  1,  2,  2,  2,  3,  3,  3,  4,  4,  4,  5 },
    {  5,  5,  6,  6,  6,  7,  7,  7,  8,  8,  8,  9,  9,  9, 10, 10 },
    { 10, 11, 11, 11, 12, 12, 12, 13, 13, 13, 14, 14, 14, 15, 15, 15 },
};

SIMD_INLINE __m256i both(const int8_t from[16])
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)from));
}

/* Sixteen bytes in each half. */
SIMD_INLINE __m256i load_halves(const uint8_t *low, const uint8_t *high)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)low)),
                                   _mm_loadu_si128((const __m128i *)high), 1);
}

/* A byte of each of 32 pixels, in order. */
typedef struct {
    __m256i b, g, r;
} colours;

SIMD_INLINE __m256i colour(const __m256i parts[3], const int8_t apart[3][16])
{
    return _mm256_or_si256(_mm256_or_si256(_mm256_shuffle_epi8(parts[0], both(apart[0])),
                                           _mm256_shuffle_epi8(parts[1], both(apart[1]))),
                           _mm256_shuffle_epi8(parts[2], both(apart[2])));
}

SIMD_INLINE colours load_bgr(const uint8_t *bgr)
{
    __m256i parts[3] = { load_halves(bgr, bgr + 48), load_halves(bgr + 16, bgr + 64),
                         load_halves(bgr + 32, bgr + 80) };
    colours c = { colour(parts, APART[0]), colour(parts, APART[1]), colour(parts, APART[2]) };
    return c;
}

/* Writes the parts of sixteen pixels, in the halves of each, one after the other. */
SIMD_INLINE void store_parts(uint8_t *bgr, __m256i first, __m256i second, __m256i third)
{
    simd_store(bgr, _mm256_permute2x128_si256(first, second, 0x20));
    simd_store(bgr + 32, _mm256_blend_epi32(third, first, 0xF0));
    simd_store(bgr + 64, _mm256_permute2x128_si256(second, third, 0x31));
}

SIMD_INLINE __m256i part(colours c, const int8_t together[3][16])
{
    return _mm256_or_si256(_mm256_or_si256(_mm256_shuffle_epi8(c.b, both(together[0])),
                                           _mm256_shuffle_epi8(c.g, both(together[1]))),
                           _mm256_shuffle_epi8(c.r, both(together[2])));
}

SIMD_INLINE void store_bgr(uint8_t *bgr, colours c)
{
    store_parts(bgr, part(c, TOGETHER[0]), part(c, TOGETHER[1]), part(c, TOGETHER[2]));
}

/* Pairs of blue and green, and of red and 1, whose weight is the rounding. */
SIMD_INLINE __m256i gray(colours c)
{
    __m256i zero = _mm256_setzero_si256(), ones = _mm256_set1_epi8(1);
    __m256i blue_green = _mm256_set1_epi32(9617 << 16 | 1868);
    __m256i red_half = _mm256_set1_epi32(8192 << 16 | 4899);
    __m256i bg[2] = { _mm256_unpacklo_epi8(c.b, c.g), _mm256_unpackhi_epi8(c.b, c.g) };
    __m256i r1[2] = { _mm256_unpacklo_epi8(c.r, ones), _mm256_unpackhi_epi8(c.r, ones) };
    __m256i result[2];

    for (int i = 0; i < 2; i++) {
        __m256i low = _mm256_madd_epi16(_mm256_unpacklo_epi8(bg[i], zero), blue_green);
        __m256i high = _mm256_madd_epi16(_mm256_unpackhi_epi8(bg[i], zero), blue_green);
        __m256i rest = _mm256_madd_epi16(_mm256_unpacklo_epi8(r1[i], zero), red_half);
        low = _mm256_srli_epi32(_mm256_add_epi32(low, rest), 14);
        rest = _mm256_madd_epi16(_mm256_unpackhi_epi8(r1[i], zero), red_half);
        high = _mm256_srli_epi32(_mm256_add_epi32(high, rest), 14);
        result[i] = _mm256_packs_epi32(low, high);
    }
    return _mm256_packus_epi16(result[0], result[1]);
}

/* In what follows a row's last vector overlaps the one before it. */

void simd_bgr_to_gray_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                           uint8_t *dst, size_t dst_stride)
{
    for (size_t y = 0; y < h; y++, src += src_stride, dst += dst_stride) {
        if (w < 32) {
            for (size_t x = 0; x < w; x++)
                dst[x] = simd_gray(src + 3 * x);
            continue;
        }
        for (size_t x = 0; x < w; x += 32) {
            if (x > w - 32)
                x = w - 32;
            simd_store(dst + x, gray(load_bgr(src + 3 * x)));
        }
    }
}

void simd_gray_to_bgr_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                           uint8_t *dst, size_t dst_stride)
{
    for (size_t y = 0; y < h; y++, src += src_stride, dst += dst_stride) {
        if (w < 32) {
            for (size_t x = 0; x < w; x++)
                dst[3 * x] = dst[3 * x + 1] = dst[3 * x + 2] = src[x];
            continue;
        }
        for (size_t x = 0; x < w; x += 32) {
            if (x > w - 32)
                x = w - 32;
            __m256i pixels = simd_load(src + x);
            store_parts(dst + 3 * x, _mm256_shuffle_epi8(pixels, both(THRICE[0])),
                        _mm256_shuffle_epi8(pixels, both(THRICE[1])),
                        _mm256_shuffle_epi8(pixels, both(THRICE[2])));
        }
    }
}

void simd_bgr_to_bgra_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                           uint8_t alpha, uint8_t *dst, size_t dst_stride)
{
    /* Eight pixels are bytes 0 to 23: four at the start of 0 to 15, four at the end of 8 to 23. */
    __m256i spread = _mm256_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1,
                                      4, 5, 6, -1, 7, 8, 9, -1, 10, 11, 12, -1, 13, 14, 15, -1);
    __m256i alphas = _mm256_set1_epi32((int)((uint32_t)alpha << 24));

    for (size_t y = 0; y < h; y++, src += src_stride, dst += dst_stride) {
        if (w < 8) {
            for (size_t x = 0; x < w; x++) {
                dst[4 * x] = src[3 * x];
                dst[4 * x + 1] = src[3 * x + 1];
                dst[4 * x + 2] = src[3 * x + 2];
                dst[4 * x + 3] = alpha;
            }
            continue;
        }
        for (size_t x = 0; x < w; x += 8) {
            if (x > w - 8)
                x = w - 8;
            __m256i pixels = load_halves(src + 3 * x, src + 3 * x + 8);
            pixels = _mm256_or_si256(_mm256_shuffle_epi8(pixels, spread), alphas);
            simd_store(dst + 4 * x, pixels);
        }
    }
}

void simd_deinterleave_bgr_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                                uint8_t *b, size_t b_stride, uint8_t *g, size_t g_stride,
                                uint8_t *r, size_t r_stride)
{
    for (size_t y = 0; y < h; y++, src += src_stride) {
        size_t x = 0;

        for (; w >= 32 && x < w; x += 32) {
            if (x > w - 32)
                x = w - 32;
            colours c = load_bgr(src + 3 * x);
            simd_store(b + x, c.b);
            simd_store(g + x, c.g);
            simd_store(r + x, c.r);
        }
        for (; x < w; x++) {
            b[x] = src[3 * x];
            g[x] = src[3 * x + 1];
            r[x] = src[3 * x + 2];
        }
        b += b_stride;
        g += g_stride;
        r += r_stride;
    }
}

void simd_interleave_bgr_avx2(const uint8_t *b, size_t b_stride, const uint8_t *g, size_t g_stride,
                              const uint8_t *r, size_t r_stride, size_t w, size_t h, uint8_t *dst,
                              size_t dst_stride)
{
    for (size_t y = 0; y < h; y++, dst += dst_stride) {
        size_t x = 0;

        for (; w >= 32 && x < w; x += 32) {
            if (x > w - 32)
                x = w - 32;
            colours c = { simd_load(b + x), simd_load(g + x), simd_load(r + x) };
            store_bgr(dst + 3 * x, c);
        }
        for (; x < w; x++) {
            dst[3 * x] = b[x];
            dst[3 * x + 1] = g[x];
            dst[3 * x + 2] = r[x];
        }
        b += b_stride;
        g += g_stride;
        r += r_stride;
    }
}

/* The sums for luma are at most 220 * 255 + 128 and fit 16 bits without a sign. */
SIMD_INLINE __m256i luma16(__m256i b, __m256i g, __m256i r)
{
    __m256i sum = _mm256_mullo_epi16(b, _mm256_set1_epi16(25));
    sum = _mm256_add_epi16(sum, _mm256_mullo_epi16(g, _mm256_set1_epi16(129)));
    sum = _mm256_add_epi16(sum, _mm256_mullo_epi16(r, _mm256_set1_epi16(66)));
    sum = _mm256_srli_epi16(_mm256_add_epi16(sum, _mm256_set1_epi16(128)), 8);
    return _mm256_add_epi16(sum, _mm256_set1_epi16(16));
}

SIMD_INLINE __m256i luma(colours c)
{
    __m256i zero = _mm256_setzero_si256();
    return _mm256_packus_epi16(
        luma16(_mm256_unpacklo_epi8(c.b, zero), _mm256_unpacklo_epi8(c.g, zero),
               _mm256_unpacklo_epi8(c.r, zero)),
        luma16(_mm256_unpackhi_epi8(c.b, zero), _mm256_unpackhi_epi8(c.g, zero),
               _mm256_unpackhi_epi8(c.r, zero)));
}

/* Means of sixteen blocks, two rows of 32 pixels. */
SIMD_INLINE __m256i means(__m256i at, __m256i below)
{
    __m256i ones = _mm256_set1_epi8(1);
    __m256i sum = _mm256_add_epi16(_mm256_maddubs_epi16(at, ones),
                                   _mm256_maddubs_epi16(below, ones));
    return _mm256_srli_epi16(_mm256_add_epi16(sum, _mm256_set1_epi16(2)), 2);
}

/* The sums for chroma are at most 112 * 255 + 128 of either sign. */
SIMD_INLINE __m256i chroma(__m256i b, __m256i g, __m256i r, short by_b, short by_g, short by_r)
{
    __m256i sum = _mm256_mullo_epi16(b, _mm256_set1_epi16(by_b));
    sum = _mm256_add_epi16(sum, _mm256_mullo_epi16(g, _mm256_set1_epi16(by_g)));
    sum = _mm256_add_epi16(sum, _mm256_mullo_epi16(r, _mm256_set1_epi16(by_r)));
    sum = _mm256_srai_epi16(_mm256_add_epi16(sum, _mm256_set1_epi16(128)), 8);
    return _mm256_add_epi16(sum, _mm256_set1_epi16(128));
}

void simd_bgr_to_yuv420p_avx2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                              uint8_t *y, size_t y_stride, uint8_t *u, size_t u_stride,
                              uint8_t *v, size_t v_stride)
{
    for (size_t row = 0; row < h; row += 2, u += u_stride, v += v_stride) {
        simd_rows rows = simd_rows_around(src, src_stride, h, row);
        uint8_t *upper = y + row * y_stride;
        uint8_t *lower = row + 1 < h ? upper + y_stride : upper;
        size_t even = w / 2 * 2, x = 0;

        /* The last vector begins at an even column too. */
        for (; even >= 32 && x < even; x += 32) {
            if (x > even - 32)
                x = even - 32;
            colours at = load_bgr(rows.at + 3 * x), below = load_bgr(rows.below + 3 * x);
            simd_store(upper + x, luma(at));
            simd_store(lower + x, luma(below));
            __m256i b = means(at.b, below.b), g = means(at.g, below.g), r = means(at.r, below.r);
            __m256i uv = _mm256_packus_epi16(chroma(b, g, r, 112, -74, -38),
                                             chroma(b, g, r, -18, -94, 112));
            uv = _mm256_permute4x64_epi64(uv, _MM_SHUFFLE(3, 1, 2, 0));
            _mm_storeu_si128((__m128i *)(u + x / 2), _mm256_castsi256_si128(uv));
            _mm_storeu_si128((__m128i *)(v + x / 2), _mm256_extracti128_si256(uv, 1));
        }
        for (; x < w; x += 2) {
            simd_columns columns = simd_columns_around(w, x);
            upper[x] = simd_luma(rows.at + 3 * x);
            upper[columns.right] = simd_luma(rows.at + 3 * columns.right);
            lower[x] = simd_luma(rows.below + 3 * x);
            lower[columns.right] = simd_luma(rows.below + 3 * columns.right);
            simd_chroma(rows, columns, u + x / 2, v + x / 2);
        }
    }
}

/* Sixteen values of 32 bits, in the order of unpacking, divided by 256 and clamped at the ends of
 * 16 bits. */
SIMD_INLINE __m256i over_256(__m256i low, __m256i high)
{
    return _mm256_packs_epi32(_mm256_srai_epi32(low, 8), _mm256_srai_epi32(high, 8));
}

/* u * first + v * second. */
SIMD_INLINE __m256i weigh(__m256i uv, int first, int second)
{
    return _mm256_madd_epi16(uv, _mm256_set1_epi32((int)((uint32_t)second << 16
                                                         | ((uint32_t)first & 0xFFFF))));
}

/* Sixteen pixels of 16 bits a value, Y, U and V as in the formulas. */
SIMD_INLINE colours to_bgr16(__m256i y, __m256i u, __m256i v)
{
    __m256i one = _mm256_set1_epi16(1);
    __m256i y_low = _mm256_unpacklo_epi16(y, one), y_high = _mm256_unpackhi_epi16(y, one);
    __m256i uv_low = _mm256_unpacklo_epi16(u, v), uv_high = _mm256_unpackhi_epi16(u, v);
    __m256i low = weigh(y_low, 298, 128), high = weigh(y_high, 298, 128);
    colours c = { over_256(_mm256_add_epi32(low, weigh(uv_low, 516, 0)),
                           _mm256_add_epi32(high, weigh(uv_high, 516, 0))),
                  over_256(_mm256_add_epi32(low, weigh(uv_low, -100, -208)),
                           _mm256_add_epi32(high, weigh(uv_high, -100, -208))),
                  over_256(_mm256_add_epi32(low, weigh(uv_low, 0, 409)),
                           _mm256_add_epi32(high, weigh(uv_high, 0, 409))) };
    return c;
}

/* Each of sixteen bytes twice. */
SIMD_INLINE __m256i twice(const uint8_t *from)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)from);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_unpacklo_epi8(bytes, bytes)),
                                   _mm_unpackhi_epi8(bytes, bytes), 1);
}

SIMD_INLINE colours to_bgr(__m256i y, __m256i u, __m256i v)
{
    __m256i zero = _mm256_setzero_si256();
    __m256i dark = _mm256_set1_epi16(16), middle = _mm256_set1_epi16(128);
    colours low = to_bgr16(_mm256_sub_epi16(_mm256_unpacklo_epi8(y, zero), dark),
                           _mm256_sub_epi16(_mm256_unpacklo_epi8(u, zero), middle),
                           _mm256_sub_epi16(_mm256_unpacklo_epi8(v, zero), middle));
    colours high = to_bgr16(_mm256_sub_epi16(_mm256_unpackhi_epi8(y, zero), dark),
                            _mm256_sub_epi16(_mm256_unpackhi_epi8(u, zero), middle),
                            _mm256_sub_epi16(_mm256_unpackhi_epi8(v, zero), middle));
    colours c = { _mm256_packus_epi16(low.b, high.b), _mm256_packus_epi16(low.g, high.g),
                  _mm256_packus_epi16(low.r, high.r) };
    return c;
}

void simd_yuv420p_to_bgr_avx2(const uint8_t *y, size_t y_stride, const uint8_t *u, size_t u_stride,
                              const uint8_t *v, size_t v_stride, size_t w, size_t h, uint8_t *dst,
                              size_t dst_stride)
{
    for (size_t row = 0; row < h; row++, y += y_stride, dst += dst_stride) {
        const uint8_t *blue = u + row / 2 * u_stride, *red = v + row / 2 * v_stride;
        size_t even = w / 2 * 2, x = 0;

        for (; even >= 32 && x < even; x += 32) {
            if (x > even - 32)
                x = even - 32;
            store_bgr(dst + 3 * x,
                      to_bgr(simd_load(y + x), twice(blue + x / 2), twice(red + x / 2)));
        }
        for (; x < w; x++)
            simd_yuv_to_bgr_pixel(y[x], blue[x / 2], red[x / 2], dst + 3 * x);
    }
}
