/* What the vector code needs to know of a time step: nothing of LAMMPS's, so that no inline function
 * of its headers is compiled for a processor that may not be there. */
#ifndef LJ_CUT_JOB_H
#define LJ_CUT_JOB_H

/* Types 1 to 3; number 0 is not used. Each row fills a vector. */
enum { LJ_TYPES = 4 };

struct lj_table {
    alignas(32) double of[LJ_TYPES][LJ_TYPES];
};

struct lj_cut_job {
    /* The half list: each pair once, the upper two bits of a neighbour say how it is bonded. */
    int atoms;
    const int *list, *neighbours;
    int *const *first;
    /* Atoms and their images. */
    int all;
    const double *x;
    const int *type;
    double *f;
    struct lj_table cutsq, lj1, lj2, lj3, lj4, offset;
    alignas(32) double special[4];
    /* Sums; null where nobody asks for them. */
    double *energy, *virial, *energies, *virials;
};

/* Whether this processor can run it. */
bool lj_cut_avx2_runs();
/* Adds to everything; false where there was no memory, and nothing was done. */
bool lj_cut_avx2(const struct lj_cut_job *job);

#endif
