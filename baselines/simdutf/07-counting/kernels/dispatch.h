// Included before everything else in simdutf.cpp: takes the place that upstream's dispatch keeps
// for an implementation that needs AVX2, BMI1 and BMI2 (and asks the processor for them).
#ifndef KERNELS_DISPATCH_H
#define KERNELS_DISPATCH_H

#include "counting.h"

#define SIMDUTF_IMPLEMENTATION_HASWELL 1

namespace simdutf {
namespace haswell {

class implementation final : public kernels::counting {
public:
  implementation() : counting("avx2", "AVX2", NEEDS) {}

private:
  static constexpr uint32_t NEEDS = internal::instruction_set::AVX2 |
                                    internal::instruction_set::BMI1 |
                                    internal::instruction_set::BMI2;
};

} // namespace haswell
} // namespace simdutf

#endif
