/* Which of LAMMPS's styles are compiled in: its own build makes this list from the files there are. */
#include "npair_half_bin_newton.h"
