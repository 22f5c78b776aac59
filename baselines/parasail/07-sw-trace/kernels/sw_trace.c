/* parasail_sw_trace: vectors where they can, upstream's scalar code (renamed in src/sw_trace.c)
 * where not. */
#include "trace.h"

parasail_result_t *parasail_sw_trace_scalar(ALIGNER_ARGUMENTS);

parasail_result_t *parasail_sw_trace(ALIGNER_ARGUMENTS) {
    const struct wave_job job = {ALIGNER_VALUES, 0, 0, 0, 0};
    parasail_result_t *result = trace_align(&job, PARASAIL_FLAG_SW, wave_sw_trace);
    return result ? result : parasail_sw_trace_scalar(ALIGNER_VALUES);
}
