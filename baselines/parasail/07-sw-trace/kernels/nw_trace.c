/* parasail_nw_trace: vectors where they can, upstream's scalar code (renamed in src/nw_trace.c)
 * where not. */
#include "trace.h"

parasail_result_t *parasail_nw_trace_scalar(ALIGNER_ARGUMENTS);

parasail_result_t *parasail_nw_trace(ALIGNER_ARGUMENTS) {
    const struct wave_job job = {ALIGNER_VALUES, 0, 0, 0, 0};
    parasail_result_t *result = trace_align(&job, PARASAIL_FLAG_NW, wave_nw_trace);
    return result ? result : parasail_nw_trace_scalar(ALIGNER_VALUES);
}
