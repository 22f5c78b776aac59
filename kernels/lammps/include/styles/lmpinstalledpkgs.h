/* What LAMMPS's own build writes: the packages that are compiled in, of which nothing asks. */
namespace LAMMPS_NS {
const char *LAMMPS::installed_packages[] = {nullptr};
}
