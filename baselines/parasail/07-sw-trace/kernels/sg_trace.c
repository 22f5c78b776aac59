/* parasail_sg_flags_trace and the eleven names for its choices: vectors where they can, upstream's
 * scalar code (renamed in src/sg_trace.c) where not. */
#include "sg_names.h"
#include "trace.h"

parasail_result_t *parasail_sg_flags_trace_scalar(ALIGNER_ARGUMENTS, int s1_beg, int s1_end,
                                                  int s2_beg, int s2_end);

parasail_result_t *parasail_sg_flags_trace(ALIGNER_ARGUMENTS, int s1_beg, int s1_end, int s2_beg,
                                           int s2_end) {
    const struct wave_job job = {ALIGNER_VALUES, s1_beg, s1_end, s2_beg, s2_end};
    parasail_result_t *result =
        trace_align(&job, PARASAIL_FLAG_SG | wave_sg_flags(&job), wave_nw_trace);
    return result ? result
                  : parasail_sg_flags_trace_scalar(ALIGNER_VALUES, s1_beg, s1_end, s2_beg, s2_end);
}

#define NAMED(suffix, ...)                                                                         \
    parasail_result_t *parasail_sg##suffix##_trace(ALIGNER_ARGUMENTS) {                            \
        return parasail_sg_flags_trace(ALIGNER_VALUES, __VA_ARGS__);                               \
    }

SG_NAMES(NAMED)
