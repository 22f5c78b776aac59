/* Which of LAMMPS's styles are compiled in: its own build makes this list from the files there are. */
#include "pair_lj_cut.h"
#include "pair_hybrid.h"
