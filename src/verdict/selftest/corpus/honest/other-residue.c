#include "planted.h"
#include <float.h>
#include <math.h>

void planted_residue(int16_t *r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int right = 17 * r[i] % 3329;
        r[i] = (int16_t)(right < 0 ? right + 3329 : right);
    }
}
