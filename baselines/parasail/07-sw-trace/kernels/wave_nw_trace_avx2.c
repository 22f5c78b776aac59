#include "wave_avx2.h"

size_t wave_trace_bytes(int n1, int n2) {
    return (size_t)((n1 + LANES - 1) / LANES) * trace_stride(n2);
}

int wave_nw_trace(const struct wave_job *job, struct wave_best *best, uint8_t *trace) {
    struct wave w;
    if (!wave_new(&w, job, 0, 0)) {
        return 0;
    }
    w.trace = trace;
    wave_run(&w, 0, 0, 1);
    *best = w.best;
    wave_free(&w);
    return 1;
}
