/* The eleven names of semi-global alignment, each a choice of free ends. */
#ifndef KERNELS_SG_NAMES_H
#define KERNELS_SG_NAMES_H

#include "wave.h"

/* How a result says which ends were free. */
static inline int wave_sg_flags(const struct wave_job *job) {
    return (job->s1_beg ? PARASAIL_FLAG_SG_S1_BEG : 0) | (job->s1_end ? PARASAIL_FLAG_SG_S1_END : 0)
           | (job->s2_beg ? PARASAIL_FLAG_SG_S2_BEG : 0)
           | (job->s2_end ? PARASAIL_FLAG_SG_S2_END : 0);
}

#define SG_NAMES(NAMED)                                                                            \
    NAMED(, 1, 1, 1, 1)                                                                            \
    NAMED(_qb, 1, 0, 0, 0)                                                                         \
    NAMED(_qe, 0, 1, 0, 0)                                                                         \
    NAMED(_qx, 1, 1, 0, 0)                                                                         \
    NAMED(_db, 0, 0, 1, 0)                                                                         \
    NAMED(_de, 0, 0, 0, 1)                                                                         \
    NAMED(_dx, 0, 0, 1, 1)                                                                         \
    NAMED(_qb_de, 1, 0, 0, 1)                                                                      \
    NAMED(_qe_db, 0, 1, 1, 0)                                                                      \
    NAMED(_qb_db, 1, 0, 1, 0)                                                                      \
    NAMED(_qe_de, 0, 1, 0, 1)

#endif
