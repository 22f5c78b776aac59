/* Alignment with affine gaps (Gotoh 1982) along anti-diagonals (Wozniak 1997), 16 cells at a time.
 *
 * Rows of the matrix (residues of s1) are taken in strips of 16. Lane k holds row 15 - k of the
 * strip and is one column behind the lane above it: in step d, row l is at column d - l. All cells of
 * a step are independent, and each is computed from the very values that the scalar loop has, so
 * ties are decided where they arise, by the same comparisons. Between strips, the last row of a
 * strip waits in `row[]`; it leaves from lane 0, so that a store of 8 elements puts it in place and
 * the rest lands where later steps write.
 *
 * Scores of 16 rows in 16 columns come from a table of s2's scores against every letter of s1, row l
 * read l columns back, transposed.
 *
 * Arithmetic saturates; `wave_fits` makes sure that no cell of the matrix itself can.
 */
#ifndef KERNELS_WAVE_AVX2_H
#define KERNELS_WAVE_AVX2_H

#include "wave_table_avx2.h"

/* What lane k reads from the row above: lane k + 1's value, the first row's from the last strip. */
INLINE vec from_above(vec v, const int16_t *row) {
    const vec t = _mm256_permute2x128_si256(v, _mm256_loadu_si256((const vec *)row), 0x21);
    return _mm256_alignr_epi8(t, v, 2);
}

INLINE int lane(vec v, int k) {
    int16_t all[LANES];
    _mm256_storeu_si256((vec *)all, v);
    return all[k];
}

INLINE vec pick(vec mask, vec yes, vec no) {
    return _mm256_blendv_epi8(no, yes, mask);
}

/* Bytes of trace of one strip: 4 bits a cell, two steps in a byte, lane by lane. */
INLINE size_t trace_stride(int n2) {
    return (size_t)(n2 + 16) / 2 * 16;
}

INLINE void keep_row(int16_t *row, int column, vec v, int last, int k) {
    if (last) {
        row[column] = (int16_t)lane(v, k);
    } else {
        _mm_storeu_si128((__m128i *)(row + column), _mm256_castsi256_si128(v));
    }
}

/* One strip: rows i0.. of which `rows` exist. All flags are constants where this is inlined. */
INLINE void strip(struct wave *w, int i0, int rows, const int local, const int stats,
                  const int trace, const int last) {
    const struct wave_job *job = w->job;
    const int n2 = job->n2;
    const int steps = (n2 + rows) & ~1; /* n2 + rows - 1, made even */
    const int column = !local && job->s1_end;
    int8_t *table[LANES];
    int16_t first[LANES];
    uint8_t scores[512] __attribute__((aligned(32)));
    for (int l = 0; l < LANES; l++) {
        table[l] = l < rows ? w->table[w->letters1[i0 + l]] : w->nothing;
        first[15 - l] = (int16_t)(local || l >= rows ? 0 : border(job, job->s1_beg, i0 + l + 1));
    }
    const vec zero = _mm256_setzero_si256(), one = _mm256_set1_epi16(1);
    const vec three = _mm256_set1_epi16(3);
    const vec never = _mm256_set1_epi16(INT16_MIN);
    const vec open = _mm256_set1_epi16((int16_t)job->open);
    const vec gap = _mm256_set1_epi16((int16_t)job->gap);
    const vec border_h = _mm256_loadu_si256((const vec *)first);
    /* of each lane, the last step in which it has no cell yet */
    const vec before = _mm256_setr_epi16(14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, -1);
    vec h = border_h, e = never, f = never;
    vec up = _mm256_set1_epi16((int16_t)(local ? 0 : border(job, job->s1_beg, i0)));
    vec hm = zero, hs = zero, hl = zero, em = zero, es = zero, el = zero;
    vec fm = zero, fs = zero, fl = zero, up_m = zero, up_s = zero, up_l = zero;
    vec top = zero, top_at = zero, top_m = zero, top_s = zero, top_l = zero, codes = zero;
    vec now = zero;
    uint8_t *traced = trace ? w->trace + (size_t)(i0 / LANES) * trace_stride(n2) : NULL;

    for (int d0 = 0; d0 < steps; d0 += 32) {
        const int end = steps - d0 < 32 ? steps - d0 : 32;
        wave_scores(scores, table, d0);
        for (int t = 0; t < end; t++) {
            const int d = d0 + t;
            const uint8_t *at = scores + 32 * (t & 15) + (t & 16);
            vec score = _mm256_cvtepi8_epi16(_mm_load_si128((const __m128i *)at));
            vec match = zero;
            if (stats) {
                match = _mm256_and_si256(score, one);
                score = _mm256_srai_epi16(score, 1);
            }
            const vec diagonal = _mm256_adds_epi16(up, score);
            up = from_above(h, w->row[ROW_H] + d);
            const vec f_open = _mm256_subs_epi16(up, open);
            const vec f_more = _mm256_subs_epi16(from_above(f, w->row[ROW_F] + d), gap);
            const vec e_open = _mm256_subs_epi16(h, open);
            const vec e_more = _mm256_subs_epi16(e, gap);
            f = _mm256_max_epi16(f_open, f_more);
            e = _mm256_max_epi16(e_open, e_more);
            h = _mm256_max_epi16(diagonal, e);
            if (local) {
                h = _mm256_max_epi16(h, zero);
            }
            h = _mm256_max_epi16(h, f);
            if (stats || trace) {
                const vec f_new = _mm256_cmpgt_epi16(f_open, f_more);
                const vec e_new = _mm256_cmpgt_epi16(e_open, e_more);
                const vec is_diagonal = _mm256_cmpeq_epi16(h, diagonal);
                const vec is_f = _mm256_cmpeq_epi16(h, f);
                const vec is_zero = local ? _mm256_cmpeq_epi16(h, zero) : zero;
                if (trace) {
                    /* 0 ends, 1 comes from E, 2 from F, 3 from the diagonal; 4 opens E, 8 F */
                    vec code = _mm256_sub_epi16(one, is_f);
                    code = _mm256_or_si256(code, _mm256_and_si256(is_diagonal, three));
                    if (local) {
                        code = _mm256_andnot_si256(is_zero, code);
                    }
                    code = _mm256_or_si256(code, _mm256_and_si256(e_new, _mm256_set1_epi16(4)));
                    code = _mm256_or_si256(code, _mm256_and_si256(f_new, _mm256_set1_epi16(8)));
                    if (t & 1) {
                        code = _mm256_or_si256(codes, _mm256_slli_epi16(code, 4));
                        const __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(code),
                                                               _mm256_extracti128_si256(code, 1));
                        _mm_store_si128((__m128i *)(traced + (size_t)(d / 2) * 16), bytes);
                    } else {
                        codes = code;
                    }
                }
                if (stats) {
                    const vec similar = _mm256_cmpgt_epi16(score, zero);
                    const vec dm = _mm256_add_epi16(up_m, match);
                    const vec ds = _mm256_sub_epi16(up_s, similar);
                    const vec dl = _mm256_add_epi16(up_l, one);
                    up_m = from_above(hm, w->row[ROW_HM] + d);
                    up_s = from_above(hs, w->row[ROW_HS] + d);
                    up_l = from_above(hl, w->row[ROW_HL] + d);
                    fm = pick(f_new, up_m, from_above(fm, w->row[ROW_FM] + d));
                    fs = pick(f_new, up_s, from_above(fs, w->row[ROW_FS] + d));
                    fl = pick(f_new, up_l, from_above(fl, w->row[ROW_FL] + d));
                    fl = _mm256_add_epi16(fl, one);
                    em = pick(e_new, hm, em);
                    es = pick(e_new, hs, es);
                    el = _mm256_add_epi16(pick(e_new, hl, el), one);
                    hm = pick(is_diagonal, dm, pick(is_f, fm, em));
                    hs = pick(is_diagonal, ds, pick(is_f, fs, es));
                    hl = pick(is_diagonal, dl, pick(is_f, fl, el));
                    if (local) {
                        hm = _mm256_andnot_si256(is_zero, hm);
                        hs = _mm256_andnot_si256(is_zero, hs);
                        hl = _mm256_andnot_si256(is_zero, hl);
                    }
                }
            }
            if (d < LANES - 1) {
                const vec waits = _mm256_cmpgt_epi16(before, _mm256_set1_epi16((int16_t)(d - 1)));
                h = pick(waits, border_h, h);
                e = pick(waits, never, e);
                if (stats) {
                    hm = _mm256_andnot_si256(waits, hm);
                    hs = _mm256_andnot_si256(waits, hs);
                    hl = _mm256_andnot_si256(waits, hl);
                }
            }
            if (local) {
                const vec better = _mm256_cmpgt_epi16(h, top);
                top = _mm256_max_epi16(top, h);
                top_at = pick(better, now, top_at);
                now = _mm256_add_epi16(now, one);
                if (stats) {
                    top_m = pick(better, hm, top_m);
                    top_s = pick(better, hs, top_s);
                    top_l = pick(better, hl, top_l);
                }
            }
            if (column && d >= n2 - 1 && d - (n2 - 1) < rows) {
                const int l = d - (n2 - 1), value = lane(h, 15 - l);
                if (value > w->best.score) {
                    w->best.score = value;
                    w->best.end_query = i0 + l;
                    w->best.end_ref = n2 - 1;
                    if (stats) {
                        w->best.matches = lane(hm, 15 - l);
                        w->best.similar = lane(hs, 15 - l);
                        w->best.length = lane(hl, 15 - l);
                    }
                }
            }
            if (!last || !local) {
                const int k = last ? LANES - rows : 0, j = d - (last ? rows - 1 : LANES - 1);
                keep_row(w->row[ROW_H], j, h, last, k);
                if (!last) {
                    keep_row(w->row[ROW_F], j, f, last, k);
                }
                if (stats) {
                    keep_row(w->row[ROW_HM], j, hm, last, k);
                    keep_row(w->row[ROW_HS], j, hs, last, k);
                    keep_row(w->row[ROW_HL], j, hl, last, k);
                    if (!last) {
                        keep_row(w->row[ROW_FM], j, fm, last, k);
                        keep_row(w->row[ROW_FS], j, fs, last, k);
                        keep_row(w->row[ROW_FL], j, fl, last, k);
                    }
                }
            }
        }
    }
    if (local) {
        w->local_score = top;
        w->local_step = top_at;
        w->local_m = top_m;
        w->local_s = top_s;
        w->local_l = top_l;
    }
}

/* The best cell of a local alignment: the smallest column, then the smallest row. */
INLINE void local_best(struct wave *w, int i0, int rows, int stats) {
    for (int l = 0; l < rows; l++) {
        const int score = lane(w->local_score, 15 - l), j = lane(w->local_step, 15 - l) - l;
        if (score > w->best.score
            || (score > 0 && score == w->best.score && j < w->best.end_ref)) {
            w->best.score = score;
            w->best.end_query = i0 + l;
            w->best.end_ref = j;
            if (stats) {
                w->best.matches = lane(w->local_m, 15 - l);
                w->best.similar = lane(w->local_s, 15 - l);
                w->best.length = lane(w->local_l, 15 - l);
            }
        }
    }
}

/* After the last strip, the last row is in `row[]`: ends that are free there, or the last cell. */
INLINE void last_row(struct wave *w, int stats) {
    const struct wave_job *job = w->job;
    const int n2 = job->n2;
    const int16_t *h = w->row[ROW_H];
    struct wave_best *best = &w->best;
    int from = n2, ties = 0;
    if (job->s2_end) {
        from = 0;
        ties = job->s1_end; /* with both free, a smaller column wins over an earlier row */
    } else if (!job->s1_end) {
        from = n2 - 1;
    }
    for (int j = from; j < n2; j++) {
        if (h[j] > best->score || (ties && h[j] == best->score && j < best->end_ref)) {
            best->score = h[j];
            best->end_query = job->n1 - 1;
            best->end_ref = j;
            if (stats) {
                best->matches = w->row[ROW_HM][j];
                best->similar = w->row[ROW_HS][j];
                best->length = w->row[ROW_HL][j];
            }
        }
    }
}

INLINE void wave_run(struct wave *w, const int local, const int stats, const int trace) {
    const int n1 = w->job->n1;
    int i0 = 0;
    for (; i0 + LANES < n1; i0 += LANES) {
        strip(w, i0, LANES, local, stats, trace, 0);
        if (local) {
            local_best(w, i0, LANES, stats);
        }
    }
    strip(w, i0, n1 - i0, local, stats, trace, 1);
    if (local) {
        local_best(w, i0, n1 - i0, stats);
    } else {
        last_row(w, stats);
    }
}

#endif
