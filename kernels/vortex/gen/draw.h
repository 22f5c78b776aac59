/* Random numbers for the generators of this folder. */
#include <stdint.h>

/* The next of a sequence (splitmix64). */
static inline uint64_t draw(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Uniform from 0 to 1, without 1. */
static inline double unit(uint64_t *state) {
    return (double)(draw(state) >> 11) * 0x1p-53;
}

/* Uniform between the two numbers of an option. */
static inline double between(uint64_t *state, const double *option) {
    return option[0] + (option[1] - option[0]) * unit(state);
}
