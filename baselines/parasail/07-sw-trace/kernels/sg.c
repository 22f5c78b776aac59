/* parasail_sg_flags and the eleven names for its choices: vectors where they can, upstream's scalar
 * code (renamed in src/sg.c) where not. */
#include "parasail/memory.h"
#include "sg_names.h"

parasail_result_t *parasail_sg_flags_scalar(ALIGNER_ARGUMENTS, int s1_beg, int s1_end, int s2_beg,
                                            int s2_end);

parasail_result_t *parasail_sg_flags(ALIGNER_ARGUMENTS, int s1_beg, int s1_end, int s2_beg,
                                     int s2_end) {
    const struct wave_job job = {ALIGNER_VALUES, s1_beg, s1_end, s2_beg, s2_end};
    struct wave_best best;
    if (!wave_accepts(&job) || !wave_nw(&job, &best)) {
        return parasail_sg_flags_scalar(ALIGNER_VALUES, s1_beg, s1_end, s2_beg, s2_end);
    }
    parasail_result_t *result = parasail_result_new();
    if (result) {
        result->score = best.score;
        result->end_query = best.end_query;
        result->end_ref = best.end_ref;
        result->flag |= PARASAIL_FLAG_SG | PARASAIL_FLAG_DIAG | PARASAIL_FLAG_BITS_16
                        | PARASAIL_FLAG_LANES_16 | wave_sg_flags(&job);
    }
    return result;
}

#define NAMED(suffix, ...)                                                                         \
    parasail_result_t *parasail_sg##suffix(ALIGNER_ARGUMENTS) {                                   \
        return parasail_sg_flags(ALIGNER_VALUES, __VA_ARGS__);                             \
    }

SG_NAMES(NAMED)
