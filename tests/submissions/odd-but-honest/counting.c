#include <stddef.h>
#include <stdint.h>

static const uint32_t one[2] = {1, 1};

/* A file that was not there before. */
void count_into(uint32_t *count, const uint8_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        count[x[i]] += one[x[i] & 1];
}
