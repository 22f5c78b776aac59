/* What LAMMPS's own build writes where it is built from a repository: this one is from a package. */
namespace LAMMPS_NS {
const bool LAMMPS::has_git_info = false;
const char LAMMPS::git_commit[] = "";
const char LAMMPS::git_branch[] = "";
const char LAMMPS::git_descriptor[] = "";
}
