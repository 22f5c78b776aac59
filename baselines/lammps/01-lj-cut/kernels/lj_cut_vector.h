/* `lj/cut` with four neighbours at a time. */
#ifndef LJ_CUT_VECTOR_STYLE_H
#define LJ_CUT_VECTOR_STYLE_H

namespace LAMMPS_NS {

class PairLJCutVector : public PairLJCut {
public:
    PairLJCutVector(class LAMMPS *lammps) : PairLJCut(lammps) {}
    void compute(int eflag, int vflag);
};

}

#endif
