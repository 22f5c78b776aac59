/* Which of LAMMPS's styles are compiled in: its own build makes this list from the files there are. */
#include "atom_vec_atomic.h"
#include "MOLECULE/atom_vec_bond.h"
#include "atom_vec_body.h"
#include "atom_vec_hybrid.h"
