/* Balanced brackets: deeper where `deep` (drawn between its two numbers) is nearer to 1. */
#include <stddef.h>
#include <stdint.h>

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static double share(uint64_t *state)
{
    return (double)(next(state) >> 11) / 9007199254740992.0;
}

void gen_brackets(uint64_t seed, uint8_t *out, size_t len, const double *deep)
{
    double open = deep[0] + (deep[1] - deep[0]) * share(&seed);
    size_t depth = 0;
    for (size_t i = 0; i < len; i++) {
        size_t left = len - i;
        if (depth == left) {
            out[i] = ')';
            depth--;
        } else if (depth + 2 <= left && share(&seed) < open) {
            out[i] = '(';
            depth++;
        } else if (depth > 0 && share(&seed) > open) {
            out[i] = ')';
            depth--;
        } else {
            out[i] = 'a' + (uint8_t)(next(&seed) % 26);
        }
    }
}
