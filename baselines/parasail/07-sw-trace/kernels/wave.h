/* What every aligner asks of the vectors, and what it gets. */
#ifndef KERNELS_WAVE_H
#define KERNELS_WAVE_H

#include <stddef.h>
#include <stdint.h>

#include "parasail.h"

/* What parasail's aligners take. */
#define ALIGNER_ARGUMENTS                                                                          \
    const char *const restrict s1, const int n1, const char *const restrict s2, const int n2,      \
        const int open, const int gap, const parasail_matrix_t *matrix
#define ALIGNER_VALUES s1, n1, s2, n2, open, gap, matrix

struct wave_job {
    const char *s1; /* ALIGNER_VALUES, in their order */
    int n1;
    const char *s2;
    int n2, open, gap;
    const parasail_matrix_t *matrix;
    int s1_beg, s1_end, s2_beg, s2_end; /* ends whose gaps cost nothing; not for local alignment */
};

struct wave_best {
    int score, end_query, end_ref;
    int matches, similar, length; /* of the alignment that ends there */
};

static inline int wave_supported(void) {
    return __builtin_cpu_supports("avx2");
}

/* A pair that upstream's scalar code accepts, and whose matrix the vectors can look up. */
static inline int wave_accepts(const struct wave_job *job) {
    const parasail_matrix_t *m = job->matrix;
    return job->s1 && job->s2 && job->n1 > 0 && job->n2 > 0 && job->open >= 0 && job->gap >= 0 && m
           && m->type == PARASAIL_MATRIX_TYPE_SQUARE && m->size > 0 && m->size <= 32
           && wave_supported();
}

/* Each returns 0 where 16 bits might not hold every value of the matrix of the pair (or memory is
 * short), and leaves the pair to the scalar code. */
int wave_sw(const struct wave_job *job, struct wave_best *best);
int wave_nw(const struct wave_job *job, struct wave_best *best); /* global and semi-global */
int wave_sw_stats(const struct wave_job *job, struct wave_best *best);
int wave_nw_stats(const struct wave_job *job, struct wave_best *best);
size_t wave_trace_bytes(int n1, int n2);
int wave_nw_trace(const struct wave_job *job, struct wave_best *best, uint8_t *trace);
int wave_sw_trace(const struct wave_job *job, struct wave_best *best, uint8_t *trace);

#endif
