/* The contract: what a graded alignment library exports. Plain C, one symbol a scored function.
 *
 * Each function aligns a query `a` of na residues with a reference `b` of nb residues (1..16000
 * both) by dynamic programming with affine gaps, through parasail's own function of the same name,
 * and copies what parasail's accessors say of the allocated result into flat arrays. Arrays never
 * overlap, except that a and b may be parts of one array. All functions return -1 where parasail
 * returned no result, which never happens on these inputs.
 *
 * The definitions below are complete. They are those of parasail's portable code.
 */
#ifndef PS_H
#define PS_H

#include <stdint.h>

/* Scores of residues. A residue is a number of which the low 6 bits count. With a matrix of proteins,
 * 0..23 are ARNDCQEGHILKMFPSTWYVBZX*, 24..46 the first 23 of these as small letters, which score the
 * same, and the others include letters that the matrix does not know and scores as `*`. With a matrix
 * of DNA, the low numbers are ACGT over and over; from 24 on small letters, from 48 on ambiguity codes
 * and what is none. */
enum {
    PS_BLOSUM62,
    PS_BLOSUM45,
    PS_PAM250,
    PS_DNAFULL,   /* NUC4.4 */
    PS_MATCH_1,   /* ACGT: 1 for the same letter, -1 for another, 0 for one that it does not know */
    PS_MATCH_120, /* 120, -119, 0 */
    PS_MATCH_3000 /* 3000, -2999, 0: what does not fit into 16 bits for long */
};

/* The recurrences, for rows i = 1..na and columns j = 1..nb, in exact integers:
 *     E(i, j) = max(H(i, j-1) - open, E(i, j-1) - gap)         a gap in a
 *     F(i, j) = max(H(i-1, j) - open, F(i-1, j) - gap)         a gap in b
 *     D(i, j) = H(i-1, j-1) + score(a[i], b[j])
 *     H(i, j) = max(D(i, j), E(i, j), F(i, j))                 local: and 0
 * with E(i, 0) = F(0, j) = minus infinity, H(0, 0) = 0, and at the borders
 *     H(i, 0) = -open - (i-1) gap, H(0, j) = -open - (j-1) gap
 * unless these gaps are free or the alignment is local: then 0. A gap of n residues costs
 * open + (n-1) gap. 0 <= open, 0 <= gap; neither has to be the larger one. All values fit 31 bits.
 *
 * A result starts with out[0] = score, out[1] = end_query, out[2] = end_ref, the latter two counted
 * from 0: the cell (end_query + 1, end_ref + 1) is where the alignment ends. */

/* Local (Smith-Waterman). The score is the greatest H. Among the cells that have it, the end is the
 * one with the smallest j, and of these the one with the smallest i. */
int32_t ps_sw(const uint8_t *a, int32_t na, const uint8_t *b, int32_t nb, int32_t open, int32_t gap,
              int32_t matrix, int32_t *out);

/* Global (Needleman-Wunsch). The end is (na, nb). */
int32_t ps_nw(const uint8_t *a, int32_t na, const uint8_t *b, int32_t nb, int32_t open, int32_t gap,
              int32_t matrix, int32_t *out);

/* Semi-global: global, but gaps at the ends named by `ends` are free. */
enum {
    PS_A_BEGIN = 1, /* the beginning of a may be left out: H(i, 0) = 0 */
    PS_A_END = 2,   /* the end of a may: the alignment may end in any row of the last column */
    PS_B_BEGIN = 4, /* H(0, j) = 0 */
    PS_B_END = 8    /* the alignment may end in any column of the last row */
};

/* The score is the greatest H of the cells where the alignment may end; with neither PS_A_END nor
 * PS_B_END that is (na, nb) only. Among those that have it: with PS_A_END alone the smallest row;
 * with PS_B_END alone the smallest column; with both, the smallest column of the last row, if one
 * before the last column has it, else the smallest row of the last column. */
int32_t ps_sg(const uint8_t *a, int32_t na, const uint8_t *b, int32_t nb, int32_t open, int32_t gap,
              int32_t matrix, int32_t ends, int32_t *out);

/* The same with statistics of the alignment: out[3] = matches (pairs of the same letter of the
 * matrix), out[4] = similar (pairs with a score above 0), out[5] = length (pairs and gaps).
 *
 * Of several alignments with the same score, it is the one that these rules give, from the beginning
 * to the end: H comes from D if it equals D; else from F if it equals F; else from E. E (F) opens a
 * gap if that is better than to extend one; it extends if both are equal. Local: where H is 0 it
 * comes from nowhere, and its statistics are 0. Gaps at the borders count nothing, free or not:
 * the statistics of H(i, 0) and H(0, j) are 0. */
int32_t ps_sw_stats(const uint8_t *a, int32_t na, const uint8_t *b, int32_t nb, int32_t open,
                    int32_t gap, int32_t matrix, int32_t *out);
int32_t ps_nw_stats(const uint8_t *a, int32_t na, const uint8_t *b, int32_t nb, int32_t open,
                    int32_t gap, int32_t matrix, int32_t *out);
int32_t ps_sg_stats(const uint8_t *a, int32_t na, const uint8_t *b, int32_t nb, int32_t open,
                    int32_t gap, int32_t matrix, int32_t ends, int32_t *out);

/* The same with the alignment itself, chosen by the same rules, as a CIGAR of at most na + nb
 * elements: from the beginning to the end, runs of `=` (the same letter, small or capital), `X`
 * (another), `I` (residues of a alone) and `D` (residues of b alone), two neighbours never of the
 * same kind. An element is length * 16 + code, code 7, 8, 1 and 2. out[3] = beg_query and
 * out[4] = beg_ref, counted from 0, are where it begins; an empty one (a local score of 0) begins at
 * 1, 1. Returns the number of elements.
 *
 * It is read from the end towards the beginning. Local: it stops at the first H that is 0 (when it is
 * about to leave H; not inside of a gap). When it arrives at row 0 or column 0, what is left of the
 * other sequence becomes one gap, and beg_query and beg_ref are 0: in every alignment, also a local
 * one or one whose gaps are free there. Semi-global: so does what follows the end, if the end is in
 * the last row or column. */
int32_t ps_nw_trace(const uint8_t *a, int32_t na, const uint8_t *b, int32_t nb, int32_t open,
                    int32_t gap, int32_t matrix, int32_t *out, uint32_t *cigar);
int32_t ps_sg_trace(const uint8_t *a, int32_t na, const uint8_t *b, int32_t nb, int32_t open,
                    int32_t gap, int32_t matrix, int32_t ends, int32_t *out, uint32_t *cigar);
int32_t ps_sw_trace(const uint8_t *a, int32_t na, const uint8_t *b, int32_t nb, int32_t open,
                    int32_t gap, int32_t matrix, int32_t *out, uint32_t *cigar);

#endif
