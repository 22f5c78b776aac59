/* Which package each style is from: LAMMPS's own build makes this list; no style here has one. */
