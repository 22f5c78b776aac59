/* Aligning with a trace, whose layout is wave_avx2.h's: the flag DIAG tells cigar.c. */
#ifndef KERNELS_TRACE_H
#define KERNELS_TRACE_H

#include "parasail/memory.h"
#include "wave.h"

/* NULL where the scalar code has to do it. */
static inline parasail_result_t *trace_align(const struct wave_job *job, int flags,
                                             int (*wave)(const struct wave_job *,
                                                         struct wave_best *, uint8_t *)) {
    struct wave_best best;
    if (!wave_accepts(job) || (long long)job->n1 + job->n2 >= 32000) {
        return NULL;
    }
    parasail_result_t *result =
        parasail_result_new_trace((int)wave_trace_bytes(job->n1, job->n2), 1, 16, 1);
    if (!result) {
        return NULL;
    }
    result->flag |= PARASAIL_FLAG_TRACE | PARASAIL_FLAG_DIAG | PARASAIL_FLAG_BITS_16
                    | PARASAIL_FLAG_LANES_16 | flags;
    if (!wave(job, &best, result->trace->trace_table)) {
        parasail_result_free(result);
        return NULL;
    }
    result->score = best.score;
    result->end_query = best.end_query;
    result->end_ref = best.end_ref;
    return result;
}

#endif
