/* The contract's functions on top of parasail's: residues become text, the aligner is called, the
 * result is read through the accessors and freed. Not part of what is to be made faster. */
#include <stdlib.h>
#include <string.h>

#include "parasail.h"
#include "parasail/matrices/blosum45.h"
#include "parasail/matrices/blosum62.h"
#include "parasail/matrices/dnafull.h"
#include "parasail/matrices/pam250.h"
#include "ps.h"

/* Capitals and small letters are the same residue; the last ones are in no matrix. */
static const char PROTEIN[65] = "ARNDCQEGHILKMFPSTWYVBZX*arndcqeghilkmfpstwyvbzxJOUjou-.?ARNDCQEG";
static const char DNA[65] = "ACGTACGTACGTACGTACGTACGTacgtacgtacgtacgtacgtacgtNRYKMSWBDHVnry-?";

struct job {
    char *text;
    const char *a, *b;
    int na, nb;
    const parasail_matrix_t *matrix;
    parasail_matrix_t *own;
};

static int job_new(struct job *job, const uint8_t *a, int32_t na, const uint8_t *b, int32_t nb,
                   int32_t matrix) {
    const char *letters = matrix >= PS_DNAFULL ? DNA : PROTEIN;
    char *text = malloc((size_t)na + (size_t)nb + 2);
    if (!text) {
        return 0;
    }
    for (int32_t i = 0; i < na; i++) {
        text[i] = letters[a[i] & 63];
    }
    text[na] = 0;
    for (int32_t j = 0; j < nb; j++) {
        text[na + 1 + j] = letters[b[j] & 63];
    }
    text[na + 1 + nb] = 0;
    *job = (struct job){text, text, text + na + 1, na, nb, NULL, NULL};
    switch (matrix) {
    case PS_BLOSUM62: job->matrix = &parasail_blosum62; break;
    case PS_BLOSUM45: job->matrix = &parasail_blosum45; break;
    case PS_PAM250: job->matrix = &parasail_pam250; break;
    case PS_DNAFULL: job->matrix = &parasail_dnafull; break;
    case PS_MATCH_1: job->own = parasail_matrix_create("ACGT", 1, -1); break;
    case PS_MATCH_120: job->own = parasail_matrix_create("ACGT", 120, -119); break;
    default: job->own = parasail_matrix_create("ACGT", 3000, -2999); break;
    }
    if (job->own) {
        job->matrix = job->own;
    }
    return 1;
}

static void job_free(struct job *job) {
    if (job->own) {
        parasail_matrix_free(job->own);
    }
    free(job->text);
}

/* parasail_sg and its ten variants are fixed choices of `ends`; this is the function behind them. */
#define ALIGN(name)                                                                                \
    static parasail_result_t *name(const struct job *j, int open, int gap, int ends) {             \
        (void)ends;                                                                                \
        return parasail_##name(j->a, j->na, j->b, j->nb, open, gap, j->matrix);                    \
    }
#define ALIGN_ENDS(name, flags)                                                                    \
    static parasail_result_t *name(const struct job *j, int open, int gap, int ends) {             \
        return parasail_##flags(j->a, j->na, j->b, j->nb, open, gap, j->matrix,                    \
                                (ends & PS_A_BEGIN) != 0, (ends & PS_A_END) != 0,                  \
                                (ends & PS_B_BEGIN) != 0, (ends & PS_B_END) != 0);                 \
    }

typedef parasail_result_t *aligner(const struct job *job, int open, int gap, int ends);

static int32_t read_score(aligner *align, const uint8_t *a, int32_t na, const uint8_t *b, int32_t nb,
                          int32_t open, int32_t gap, int32_t matrix, int32_t ends, int32_t *out) {
    struct job job;
    if (!job_new(&job, a, na, b, nb, matrix)) {
        return -1;
    }
    parasail_result_t *result = align(&job, open, gap, ends);
    int32_t status = -1;
    if (result) {
        out[0] = parasail_result_get_score(result);
        out[1] = parasail_result_get_end_query(result);
        out[2] = parasail_result_get_end_ref(result);
        status = parasail_result_is_saturated(result) ? 1 : 0;
        if (parasail_result_is_stats(result)) {
            out[3] = parasail_result_get_matches(result);
            out[4] = parasail_result_get_similar(result);
            out[5] = parasail_result_get_length(result);
        }
        parasail_result_free(result);
    }
    job_free(&job);
    return status;
}

static int32_t read_trace(aligner *align, const uint8_t *a, int32_t na, const uint8_t *b, int32_t nb,
                          int32_t open, int32_t gap, int32_t matrix, int32_t ends, int32_t *out,
                          uint32_t *cigar) {
    struct job job;
    if (!job_new(&job, a, na, b, nb, matrix)) {
        return -1;
    }
    parasail_result_t *result = align(&job, open, gap, ends);
    int32_t length = -1;
    if (result) {
        parasail_cigar_t *read =
            parasail_result_get_cigar(result, job.a, na, job.b, nb, job.matrix);
        out[0] = parasail_result_get_score(result);
        out[1] = parasail_result_get_end_query(result);
        out[2] = parasail_result_get_end_ref(result);
        if (read && read->len <= na + nb) {
            out[3] = read->beg_query;
            out[4] = read->beg_ref;
            memcpy(cigar, read->seq, (size_t)read->len * sizeof *cigar);
            length = read->len;
        }
        if (read) {
            parasail_cigar_free(read);
        }
        parasail_result_free(result);
    }
    job_free(&job);
    return length;
}

#define SCORE(name)                                                                                \
    int32_t ps_##name(const uint8_t *a, int32_t na, const uint8_t *b, int32_t nb, int32_t open,    \
                      int32_t gap, int32_t matrix, int32_t *out) {                                 \
        return read_score(name, a, na, b, nb, open, gap, matrix, 0, out);                          \
    }
#define SCORE_ENDS(name)                                                                           \
    int32_t ps_##name(const uint8_t *a, int32_t na, const uint8_t *b, int32_t nb, int32_t open,    \
                      int32_t gap, int32_t matrix, int32_t ends, int32_t *out) {                   \
        return read_score(name, a, na, b, nb, open, gap, matrix, ends, out);                       \
    }
#define TRACE(name)                                                                                \
    int32_t ps_##name(const uint8_t *a, int32_t na, const uint8_t *b, int32_t nb, int32_t open,    \
                      int32_t gap, int32_t matrix, int32_t *out, uint32_t *cigar) {                \
        return read_trace(name, a, na, b, nb, open, gap, matrix, 0, out, cigar);                   \
    }
#define TRACE_ENDS(name)                                                                           \
    int32_t ps_##name(const uint8_t *a, int32_t na, const uint8_t *b, int32_t nb, int32_t open,    \
                      int32_t gap, int32_t matrix, int32_t ends, int32_t *out, uint32_t *cigar) {  \
        return read_trace(name, a, na, b, nb, open, gap, matrix, ends, out, cigar);                \
    }

ALIGN(sw) SCORE(sw)
ALIGN(nw) SCORE(nw)
ALIGN_ENDS(sg, sg_flags) SCORE_ENDS(sg)
ALIGN(sw_stats) SCORE(sw_stats)
ALIGN(nw_stats) SCORE(nw_stats)
ALIGN_ENDS(sg_stats, sg_flags_stats) SCORE_ENDS(sg_stats)
ALIGN(nw_trace) TRACE(nw_trace)
ALIGN_ENDS(sg_trace, sg_flags_trace) TRACE_ENDS(sg_trace)
ALIGN(sw_trace) TRACE(sw_trace)
