/* What the strips of wave_avx2.h look up: bounds, tables of scores, rows between strips. */
#ifndef KERNELS_WAVE_TABLE_AVX2_H
#define KERNELS_WAVE_TABLE_AVX2_H

#include <immintrin.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "wave.h"

#define INLINE static inline __attribute__((always_inline))
#define LANES 16
#define FRONT 32 /* columns before the first that a table or a row has room for */
#define BACK 96  /* and after the last */

enum { ROW_H, ROW_F, ROW_HM, ROW_HS, ROW_HL, ROW_FM, ROW_FS, ROW_FL, ROWS };

typedef __m256i vec;

struct wave {
    const struct wave_job *job;
    int8_t *table[32]; /* of each letter: its scores against s2 */
    uint8_t *letters1, *letters2;
    int16_t *row[ROWS];
    int8_t *nothing; /* a table for rows after the last */
    uint8_t *trace;
    struct wave_best best;
    vec local_score, local_step, local_m, local_s, local_l;
};

/* Score of an alignment that has cost gaps only, at the border: row i, or column i, from 1. */
INLINE int border(const struct wave_job *job, int is_free, int i) {
    return is_free || i == 0 ? 0 : -job->open - (i - 1) * job->gap;
}

/* Whether every H, E and F, and what they are maxima of, fits 16 bits with something to spare. */
INLINE int wave_fits(const struct wave_job *job, int max, int min, int local) {
    const long long shorter = job->n1 < job->n2 ? job->n1 : job->n2;
    const long long longest = (long long)job->n1 + job->n2;
    const long long high = max * shorter;
    const long long gaps = local ? 0 : 2LL * job->open + longest * job->gap;
    return longest < 32000 && high < 32000 && gaps + job->open + job->gap - min < 32000;
}

/* Both sequences as letters of the matrix, and the tables. With `marked`, a table has twice the score
 * plus 1 where the letters are the same. */
INLINE int wave_new(struct wave *w, const struct wave_job *job, int local, int stats) {
    const int n1 = job->n1, n2 = job->n2, size = job->matrix->size;
    const int *mapper = job->matrix->mapper;
    const size_t table_bytes = ((size_t)n2 + FRONT + BACK + 31) & ~(size_t)31;
    const int rows = stats ? ROWS : 2;
    uint8_t used[32] = {0};
    int letters = 0, max = 0, min = 0;
    if ((long long)n1 + n2 >= 32000) {
        return 0;
    }
    for (int i = 0; i < n1; i++) {
        used[mapper[(unsigned char)job->s1[i]]] = 1;
    }
    for (int a = 0; a < size; a++) {
        if (used[a]) {
            letters++;
            for (int b = 0; b < size; b++) {
                const int score = job->matrix->matrix[size * a + b];
                max = score > max ? score : max;
                min = score < min ? score : min;
            }
        }
    }
    const int limit = stats ? 63 : 127;
    if (max > limit || min < -limit || !wave_fits(job, max, min, local)) {
        return 0;
    }
    const size_t n1_bytes = ((size_t)n1 + 31) & ~(size_t)31;
    uint8_t *block = NULL;
    /* letters of s1 and s2, one table a letter and one of nothing, rows of 16 bits */
    const size_t bytes = n1_bytes + table_bytes * (size_t)(2 + letters + 2 * rows);
    block = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    if (!block) {
        return 0;
    }
    w->job = job;
    w->letters1 = block;
    w->letters2 = block + n1_bytes;
    for (int i = 0; i < n1; i++) {
        w->letters1[i] = (uint8_t)mapper[(unsigned char)job->s1[i]];
    }
    for (int j = 0; j < n2; j++) {
        w->letters2[j] = (uint8_t)mapper[(unsigned char)job->s2[j]];
    }
    memset(w->letters2 + n2, 0, 32);
    uint8_t *next = w->letters2 + table_bytes;
    w->nothing = (int8_t *)next + FRONT;
    memset(next, -limit, table_bytes);
    next += table_bytes;
    for (int a = 0; a < size; a++) {
        if (!used[a]) {
            continue;
        }
        uint8_t scores[32] = {0};
        for (int b = 0; b < size; b++) {
            const int score = job->matrix->matrix[size * a + b];
            scores[b] = (uint8_t)(stats ? 2 * score + (a == b) : score);
        }
        const vec low = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)scores));
        const vec high = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(scores + 16)));
        int8_t *table = (int8_t *)next + FRONT;
        for (int j = 0; j < n2; j += 32) {
            const vec letter = _mm256_loadu_si256((const vec *)(w->letters2 + j));
            const vec from_16 = _mm256_slli_epi16(letter, 3); /* bit 4 becomes the sign */
            const vec score = _mm256_blendv_epi8(_mm256_shuffle_epi8(low, letter),
                                                 _mm256_shuffle_epi8(high, letter), from_16);
            _mm256_storeu_si256((vec *)(table + j), score);
        }
        memset(table - FRONT, -limit, FRONT);
        memset(table + n2, -limit, 64);
        w->table[a] = table;
        next += table_bytes;
    }
    for (int r = 0; r < rows; r++) {
        w->row[r] = (int16_t *)next + FRONT;
        next += 2 * table_bytes;
    }
    for (int j = 0; j < n2; j++) {
        w->row[ROW_H][j] = (int16_t)(local ? 0 : border(job, job->s2_beg, j + 1));
        w->row[ROW_F][j] = INT16_MIN;
    }
    memset(w->row[ROW_H] + n2, 0, 64);
    memset(w->row[ROW_F] + n2, 0, 64);
    for (int r = ROW_HM; r < rows; r++) {
        memset(w->row[r], 0, 2 * (size_t)n2 + 64);
    }
    w->best = (struct wave_best){local ? 0 : INT_MIN, 0, 0, 0, 0, 0};
    return 1;
}

INLINE void wave_free(struct wave *w) {
    free(w->letters1);
}

/* 32 steps' scores: of the lanes, bytes; step t is at 32 (t % 16) + 16 (t / 16). */
INLINE void wave_scores(uint8_t *out, int8_t *const *rows, int d) {
    vec x[16], y[16];
    for (int k = 0; k < 16; k++) {
        x[k] = _mm256_loadu_si256((const vec *)(rows[15 - k] + d - (15 - k)));
    }
#define ROUND(from, to)                                                                            \
    for (int i = 0; i < 8; i++) {                                                                  \
        to[2 * i] = _mm256_unpacklo_epi8(from[i], from[i + 8]);                                    \
        to[2 * i + 1] = _mm256_unpackhi_epi8(from[i], from[i + 8]);                                \
    }
    ROUND(x, y)
    ROUND(y, x)
    ROUND(x, y)
    ROUND(y, x)
#undef ROUND
    for (int t = 0; t < 16; t++) {
        _mm256_store_si256((vec *)(out + 32 * t), x[t]);
    }
}

#endif
