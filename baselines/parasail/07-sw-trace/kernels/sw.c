/* parasail_sw: vectors where they can, upstream's scalar code (renamed in src/sw.c) where not. */
#include "parasail/memory.h"
#include "wave.h"

parasail_result_t *parasail_sw_scalar(ALIGNER_ARGUMENTS);

parasail_result_t *parasail_sw(ALIGNER_ARGUMENTS) {
    const struct wave_job job = {ALIGNER_VALUES, 0, 0, 0, 0};
    struct wave_best best;
    if (!wave_accepts(&job) || !wave_sw(&job, &best)) {
        return parasail_sw_scalar(ALIGNER_VALUES);
    }
    parasail_result_t *result = parasail_result_new();
    if (result) {
        result->score = best.score;
        result->end_query = best.end_query;
        result->end_ref = best.end_ref;
        result->flag |= PARASAIL_FLAG_SW | PARASAIL_FLAG_DIAG | PARASAIL_FLAG_BITS_16
                        | PARASAIL_FLAG_LANES_16;
    }
    return result;
}
