#include "wave_avx2.h"

int wave_sw_trace(const struct wave_job *job, struct wave_best *best, uint8_t *trace) {
    struct wave w;
    if (!wave_new(&w, job, 1, 0)) {
        return 0;
    }
    w.trace = trace;
    wave_run(&w, 1, 0, 1);
    *best = w.best;
    wave_free(&w);
    return 1;
}
