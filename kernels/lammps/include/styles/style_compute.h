/* Which of LAMMPS's styles are compiled in: its own build makes this list from the files there are. */
#include "compute_pe.h"
#include "compute_pressure.h"
#include "compute_temp.h"
