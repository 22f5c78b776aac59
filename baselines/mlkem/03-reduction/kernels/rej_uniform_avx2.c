/* Rejection sampling: eight or sixteen candidates are unpacked and compared at once, and a shuffle
 * from a table moves those that are kept together. */
#include <immintrin.h>
#include <string.h>

#include "kernels.h"
#include "rej_table.h"

enum { Q = 3329 };

/* 12 bytes as eight 16-bit words of which every other one is still four bits too high. */
#define SPREAD 0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11

static inline __m128i unpack(__m128i bytes)
{
    __m128i words = _mm_shuffle_epi8(bytes, _mm_setr_epi8(SPREAD));
    __m128i even = _mm_and_si128(words, _mm_set1_epi16(0xFFF));

    return _mm_blend_epi16(even, _mm_srli_epi16(words, 4), 0xAA);
}

/* The candidates whose bits are set in `kept`, first. */
static inline __m128i together(__m128i candidates, unsigned kept)
{
    __m128i low = _mm_loadl_epi64((const __m128i *)places[kept]);
    __m128i high = _mm_add_epi8(low, _mm_set1_epi8(1));

    return _mm_shuffle_epi8(candidates, _mm_unpacklo_epi8(low, high));
}

unsigned mk_rej_uniform_avx2(int16_t *r, unsigned target, const uint8_t *buf, unsigned buflen)
{
    const __m256i spread = _mm256_setr_epi8(SPREAD, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11, 12, 13, 14,
                                            14, 15);
    unsigned count = 0, at = 0;

    for (; count + 16 <= target && at + 24 <= buflen; at += 24) {
        /* the second load begins earlier than its bytes, so as not to end after them */
        __m128i first = _mm_loadu_si128((const __m128i *)(buf + at));
        __m128i second = _mm_loadu_si128((const __m128i *)(buf + at + 8));
        __m256i bytes = _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
        __m256i words = _mm256_shuffle_epi8(bytes, spread);
        __m256i even = _mm256_and_si256(words, _mm256_set1_epi16(0xFFF));
        __m256i all = _mm256_blend_epi16(even, _mm256_srli_epi16(words, 4), 0xAA);
        __m256i below = _mm256_cmpgt_epi16(_mm256_set1_epi16(Q), all);
        unsigned kept = (unsigned)_mm256_movemask_epi8(_mm256_packs_epi16(below, below));
        unsigned kept0 = kept & 0xFF, kept1 = kept >> 16 & 0xFF;
        unsigned count0 = count + (unsigned)__builtin_popcount(kept0);

        _mm_storeu_si128((__m128i *)(r + count), together(_mm256_castsi256_si128(all), kept0));
        _mm_storeu_si128((__m128i *)(r + count0), together(_mm256_extracti128_si256(all, 1), kept1));
        count = count0 + (unsigned)__builtin_popcount(kept1);
    }
    /* near the end of either, eight at a time, by way of a buffer of our own */
    while (count < target && at < buflen) {
        uint8_t in[16] = {0};
        int16_t some[8];
        unsigned bytes = buflen - at < 12 ? buflen - at : 12, candidates = bytes / 3 * 2;

        memcpy(in, buf + at, bytes);
        __m128i all = unpack(_mm_loadu_si128((const __m128i *)in));
        __m128i below = _mm_cmpgt_epi16(_mm_set1_epi16(Q), all);
        unsigned kept = (unsigned)_mm_movemask_epi8(_mm_packs_epi16(below, below));
        kept &= (1u << candidates) - 1;
        unsigned more = (unsigned)__builtin_popcount(kept);

        if (more > target - count)
            more = target - count;
        _mm_storeu_si128((__m128i *)some, together(all, kept));
        memcpy(r + count, some, 2 * more);
        count += more;
        at += bytes;
    }
    return count;
}
