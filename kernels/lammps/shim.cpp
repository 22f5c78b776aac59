/* The contract's functions on top of LAMMPS: one instance, whose atoms are replaced by those of each
 * system. Not part of what is to be made faster. */
#include "lm.h"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "atom.h"
#include "atom_vec.h"
#include "comm.h"
#include "domain.h"
#include "force.h"
#include "input.h"
#include "lammps.h"
#include "neighbor.h"
#include "pair.h"

using namespace LAMMPS_NS;

static LAMMPS *lammps;
/* Where the atoms of the present system were when its list was built. */
static std::vector<double> built;
static int64_t number;

static const double DENSITY = 0.8442;
static const double SITES[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
/* From the wall of a cell to its first site: no atom lies on the wall of the box. */
static const double FIRST = 0.25;

extern "C" int lm_setup(const char *data) {
    std::string script = std::string(data) + "/in.lj", folder = data;
    const char *words[] = {"lammps", "-log", "none", "-screen", "none", "-nocite", "-var", "data",
                           folder.c_str()};
    std::vector<char *> arguments;
    for (const char *word : words) {
        arguments.push_back(strdup(word));
    }
    lammps = new LAMMPS((int)arguments.size(), arguments.data(), MPI_COMM_WORLD);
    lammps->input->file(script.c_str());
    lammps->init();
    return lammps->force->pair && lammps->force->newton_pair ? 0 : 1;
}

/* The other atoms of a chain of four, nearest first: neighbours by one bond, by two, by three. */
static void bond(int i, int n) {
    Atom *atom = lammps->atom;
    int first = i / 4 * 4, last = first + 3 < n ? first + 3 : n - 1, count = 0;
    for (int bonds = 1; bonds <= 3; bonds++) {
        for (int j = first; j <= last; j++) {
            if (j == i + bonds || j == i - bonds) {
                atom->special[i][count++] = j + 1;
            }
        }
        atom->nspecial[i][bonds - 1] = count;
    }
}

extern "C" void lm_build(struct lm_system *system, const double *jitter, const int32_t *type,
                         int32_t n, int32_t chain) {
    Atom *atom = lammps->atom;
    Domain *domain = lammps->domain;
    int side = 1;
    while (4 * side * side * side < n) {
        side++;
    }
    double cell = cbrt(4 / DENSITY);
    for (int d = 0; d < 3; d++) {
        domain->boxlo[d] = 0;
        domain->boxhi[d] = side * cell;
    }
    domain->set_initial_box();
    domain->set_global_box();
    domain->set_local_box();

    atom->nlocal = atom->nghost = 0;
    atom->natoms = n;
    for (int i = 0; i < n; i++) {
        int at[3] = {i / 4 % side, i / 4 / side % side, i / 4 / side / side};
        double x[3];
        for (int d = 0; d < 3; d++) {
            x[d] = (at[d] + SITES[i % 4][d] + FIRST) * cell + jitter[3 * i + d];
        }
        atom->avec->create_atom(type[i], x);
        atom->tag[i] = i + 1;
        if (chain) {
            bond(i, n);
        }
    }
    atom->map_init();
    atom->map_set();

    domain->pbc();
    lammps->comm->setup();
    lammps->neighbor->setup_bins();
    lammps->comm->exchange();
    lammps->comm->borders();
    lammps->neighbor->build(1);

    built.assign(&atom->x[0][0], &atom->x[0][0] + 3 * n);
    system->atoms = n;
    system->number = ++number;
}

/* Moves the atoms and their images, and has the pair style compute. */
static void compute(const struct lm_system *system, const double *moved, int eflag, int vflag,
                    double *f) {
    Atom *atom = lammps->atom;
    size_t count = 3 * (size_t)system->atoms;
    double *x = &atom->x[0][0], *forces = &atom->f[0][0];
    for (size_t i = 0; i < count; i++) {
        x[i] = built[i] + moved[i];
    }
    lammps->comm->forward_comm();
    memset(forces, 0, sizeof(double) * 3 * (atom->nlocal + atom->nghost));
    lammps->force->pair->compute(eflag, vflag);
    lammps->comm->reverse_comm();
    memcpy(f, forces, sizeof(double) * count);
}

static void write_total(double *total) {
    Pair *pair = lammps->force->pair;
    total[0] = pair->eng_vdwl;
    memcpy(total + 1, pair->virial, 6 * sizeof(double));
}

extern "C" void lm_force(const struct lm_system *system, const double *moved, double *f) {
    compute(system, moved, 0, 0, f);
}

extern "C" void lm_energy(const struct lm_system *system, const double *moved, int32_t fdotr,
                          double *f, double *total) {
    compute(system, moved, 1, fdotr ? 2 : 1, f);
    write_total(total);
}

extern "C" void lm_atoms(const struct lm_system *system, const double *moved, double *f,
                         double *total, double *energy, double *virial) {
    compute(system, moved, 3, 6, f);
    write_total(total);
    Pair *pair = lammps->force->pair;
    int n = (int)system->atoms, all = n + lammps->atom->nghost;
    memcpy(energy, pair->eatom, n * sizeof(double));
    memcpy(virial, &pair->vatom[0][0], 6 * (size_t)n * sizeof(double));
    /* What an image was given belongs to its atom. */
    for (int ghost = n; ghost < all; ghost++) {
        int owner = lammps->atom->tag[ghost] - 1;
        energy[owner] += pair->eatom[ghost];
        for (int k = 0; k < 6; k++) {
            virial[6 * owner + k] += pair->vatom[ghost][k];
        }
    }
}
