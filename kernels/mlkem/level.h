/* mlkem-native for the parameter set that the including file has defined, as one compilation unit,
 * and the contract's functions that depend on the parameter set. */
#include "compress.c"
#include "debug.c"
#include "indcpa.c"
#include "kem.c"
#include "poly.c"
#include "poly_k.c"
#include "sampling.c"
#include "verify.c"

#include "mk.h"

#define MK_NAME(stem) MLK_CONCAT(stem, MLKEM_K)

void MK_NAME(mk_basemul_k)(int16_t *r, const int16_t *a, const int16_t *b, const int16_t *cache,
                           size_t count)
{
    for (size_t i = 0; i < count; i++)
        mlk_polyvec_basemul_acc_montgomery_cached(
            (mlk_poly *)r + i, (const mlk_polyvec *)a + i, (const mlk_polyvec *)b + i,
            (const mlk_polyvec_mulcache *)cache + i);
}
