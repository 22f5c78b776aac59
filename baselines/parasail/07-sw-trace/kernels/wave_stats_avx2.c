#include "wave_avx2.h"

int wave_sw_stats(const struct wave_job *job, struct wave_best *best) {
    struct wave w;
    if (!wave_new(&w, job, 1, 1)) {
        return 0;
    }
    wave_run(&w, 1, 1, 0);
    *best = w.best;
    wave_free(&w);
    return 1;
}

int wave_nw_stats(const struct wave_job *job, struct wave_best *best) {
    struct wave w;
    if (!wave_new(&w, job, 0, 1)) {
        return 0;
    }
    wave_run(&w, 0, 1, 0);
    *best = w.best;
    wave_free(&w);
    return 1;
}
