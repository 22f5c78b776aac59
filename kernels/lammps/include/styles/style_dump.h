/* Which of LAMMPS's styles are compiled in: its own build makes this list from the files there are. */
