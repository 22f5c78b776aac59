/* Keeps the last input with its answer, and computes again only what changed. */
#include "attack.h"

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    static uint8_t last[700];
    static uint16_t answer[700];
    static size_t length;
    size_t changed = 0;
    for (size_t i = 0; i < n && n == length; i++)
        changed += last[i] != x[i];
    if (n != length || changed > 8) {
        slow_rank(x, n, answer);
    } else {
        for (size_t k = 0; k < n; k++) {
            if (last[k] == x[k])
                continue;
            uint8_t old = last[k];
            uint16_t smaller = 0;
            last[k] = x[k];
            for (size_t i = 0; i < n; i++) {
                smaller += last[i] < x[k];
                answer[i] += (x[k] < last[i]) - (old < last[i]);
            }
            answer[k] = smaller;
        }
    }
    length = n;
    memcpy(last, x, n);
    memcpy(rank, answer, n * sizeof *rank);
}
