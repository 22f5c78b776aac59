#include "pair_lj_cut.h"

#include <cstring>

#include "atom.h"
#include "force.h"
#include "kernels/lj_cut_job.h"
#include "neigh_list.h"

using namespace LAMMPS_NS;

static void fill(struct lj_table *table, double **from, int types) {
    memset(table, 0, sizeof *table);
    for (int i = 1; i <= types; i++) {
        for (int j = 1; j <= types; j++) {
            table->of[i][j] = from[i][j];
        }
    }
}

void PairLJCutVector::compute(int eflag, int vflag) {
    static const bool runs = lj_cut_avx2_runs();
    int types = atom->ntypes;
    if (!runs || types >= LJ_TYPES || !force->newton_pair || num_tally_compute > 0) {
        PairLJCut::compute(eflag, vflag);
        return;
    }
    ev_init(eflag, vflag);
    struct lj_cut_job job;
    job.atoms = list->inum;
    job.list = list->ilist;
    job.neighbours = list->numneigh;
    job.first = list->firstneigh;
    job.all = atom->nlocal + atom->nghost;
    job.x = &atom->x[0][0];
    job.type = atom->type;
    job.f = &atom->f[0][0];
    fill(&job.cutsq, cutsq, types);
    fill(&job.lj1, lj1, types);
    fill(&job.lj2, lj2, types);
    fill(&job.lj3, lj3, types);
    fill(&job.lj4, lj4, types);
    fill(&job.offset, offset, types);
    memcpy(job.special, force->special_lj, sizeof job.special);
    job.energy = evflag && eflag_global ? &eng_vdwl : nullptr;
    job.virial = evflag && vflag_global ? virial : nullptr;
    job.energies = evflag && eflag_atom ? eatom : nullptr;
    job.virials = evflag && vflag_atom ? &vatom[0][0] : nullptr;
    if (!lj_cut_avx2(&job)) {
        PairLJCut::compute(eflag, vflag);
        return;
    }
    if (vflag_fdotr) {
        virial_fdotr_compute();
    }
}
