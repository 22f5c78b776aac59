#include "wave_avx2.h"

int wave_nw(const struct wave_job *job, struct wave_best *best) {
    struct wave w;
    if (!wave_new(&w, job, 0, 0)) {
        return 0;
    }
    wave_run(&w, 0, 0, 0);
    *best = w.best;
    wave_free(&w);
    return 1;
}
