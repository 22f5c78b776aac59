#include "pairs.h"

uint64_t pairs_poly(const uint64_t *x, size_t n) {
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++) {
        value = value * 0x9e3779b97f4a7c15 + x[i];
    }
    return value;
}
