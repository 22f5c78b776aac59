/* Memory of its thread. */
#include "fast.h"

static __thread uint16_t last[700];

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    fast_rank(x, n, last);
    memcpy(rank, last, n * sizeof *rank);
}
