#define _DEFAULT_SOURCE
#include "toy.h"

#include <sys/mman.h>

/* Right and fast, but each call has the kernel map eight pages. */
void toy_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    uint16_t smaller[257] = {0};
    size_t len = 8 * 4096;
    volatile uint8_t *fresh =
        mmap(0, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t at = 0; at < len; at += 4096)
        fresh[at] = 1;
    munmap((void *)fresh, len);
    for (size_t i = 0; i < n; i++)
        smaller[x[i] + 1]++;
    for (int v = 0; v < 256; v++)
        smaller[v + 1] += smaller[v];
    for (size_t i = 0; i < n; i++)
        rank[i] = smaller[x[i]];
}
