/* The contract: the pair style `lj/cut` of LAMMPS on a periodic box of atoms.
 *
 * A worker has one LAMMPS instance, made by `lm_setup` from an input script. `lm_build` puts atoms
 * into it and has the neighbour list built; the functions after that move the atoms, and let the
 * pair style compute what it computes in a time step. Reduced (Lennard-Jones) units.
 *
 * Arrays of vectors hold x, y, z of atom 0, then of atom 1, ... */
#ifndef LM_H
#define LM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which system the instance holds. */
struct lm_system {
    int64_t atoms;
    int64_t number;
};

/* Makes the instance from the script `in.lj` in the folder `data`. 0, unless something is wrong. */
int lm_setup(const char *data);

/* Fills the box: atoms i = 0 ... n-1 on the sites of a face-centred cubic lattice of density 0.8442,
 * four to a cell, cells in the order x, y, z, of as few cells as hold them in a cube; each moved from
 * its site by jitter[i] (up to 0.12 in each direction), of type type[i] (1, 2 or 3). With `chain`,
 * atoms 4k to 4k+3 are bonded to a chain, so that their pairs count by `special_bonds`. The
 * neighbour list is built for these positions: all pairs within cutoff and skin. */
void lm_build(struct lm_system *system, const double *jitter, const int32_t *type, int32_t n,
               int32_t chain);

/* Forces f[n] after each atom has moved by moved[i] (up to 0.08 in each direction, so that no pair
 * within the cutoff is missing in the list). */
void lm_force(const struct lm_system *system, const double *moved, double *f);

/* The same, and total[0] = energy, total[1..6] = virial xx, yy, zz, xy, xz, yz. `fdotr` 0: the virial
 * is summed pair by pair; 1: from forces and positions, as LAMMPS does it by itself. */
void lm_energy(const struct lm_system *system, const double *moved, int32_t fdotr, double *f,
               double *total);

/* The same with `fdotr` 1, and each atom's share: energy[n], and virial[n][6] in the same order. */
void lm_atoms(const struct lm_system *system, const double *moved, double *f, double *total,
              double *energy, double *virial);

#ifdef __cplusplus
}
#endif

#endif
