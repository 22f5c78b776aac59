/* Which of LAMMPS's styles are compiled in: its own build makes this list from the files there are. */
#include "nstencil_half_bin_3d_newton.h"
