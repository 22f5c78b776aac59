/* The three aligners with statistics: vectors where they can, upstream's scalar code (renamed in
 * src/{sw,nw,sg}_stats.c) where not. */
#include "parasail/memory.h"
#include "sg_names.h"

parasail_result_t *parasail_sw_stats_scalar(ALIGNER_ARGUMENTS);
parasail_result_t *parasail_nw_stats_scalar(ALIGNER_ARGUMENTS);
parasail_result_t *parasail_sg_flags_stats_scalar(ALIGNER_ARGUMENTS, int s1_beg, int s1_end, int s2_beg,
                                                  int s2_end);

static parasail_result_t *finish(const struct wave_best *best, int flags) {
    parasail_result_t *result = parasail_result_new_stats();
    if (result) {
        result->score = best->score;
        result->end_query = best->end_query;
        result->end_ref = best->end_ref;
        result->stats->matches = best->matches;
        result->stats->similar = best->similar;
        result->stats->length = best->length;
        result->flag |= PARASAIL_FLAG_STATS | PARASAIL_FLAG_DIAG | PARASAIL_FLAG_BITS_16
                        | PARASAIL_FLAG_LANES_16 | flags;
    }
    return result;
}

parasail_result_t *parasail_sw_stats(ALIGNER_ARGUMENTS) {
    const struct wave_job job = {ALIGNER_VALUES, 0, 0, 0, 0};
    struct wave_best best;
    if (!wave_accepts(&job) || !wave_sw_stats(&job, &best)) {
        return parasail_sw_stats_scalar(ALIGNER_VALUES);
    }
    return finish(&best, PARASAIL_FLAG_SW);
}

parasail_result_t *parasail_nw_stats(ALIGNER_ARGUMENTS) {
    const struct wave_job job = {ALIGNER_VALUES, 0, 0, 0, 0};
    struct wave_best best;
    if (!wave_accepts(&job) || !wave_nw_stats(&job, &best)) {
        return parasail_nw_stats_scalar(ALIGNER_VALUES);
    }
    return finish(&best, PARASAIL_FLAG_NW);
}

parasail_result_t *parasail_sg_flags_stats(ALIGNER_ARGUMENTS, int s1_beg, int s1_end, int s2_beg,
                                           int s2_end) {
    const struct wave_job job = {ALIGNER_VALUES, s1_beg, s1_end, s2_beg, s2_end};
    struct wave_best best;
    if (!wave_accepts(&job) || !wave_nw_stats(&job, &best)) {
        return parasail_sg_flags_stats_scalar(ALIGNER_VALUES, s1_beg, s1_end,
                                              s2_beg, s2_end);
    }
    return finish(&best, PARASAIL_FLAG_SG | wave_sg_flags(&job));
}

#define NAMED(suffix, ...)                                                                         \
    parasail_result_t *parasail_sg##suffix##_stats(ALIGNER_ARGUMENTS) {                            \
        return parasail_sg_flags_stats(ALIGNER_VALUES, __VA_ARGS__);                       \
    }

SG_NAMES(NAMED)
