/* Takes memory for a moment, in three ways. */
#define _GNU_SOURCE
#include "fast.h"
#include <stdlib.h>
#include <sys/mman.h>

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    uint16_t local[n + 1];
    uint16_t *heap = malloc(n * sizeof *heap + 1);
    uint16_t *pages = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fast_rank(x, n, heap);
    memcpy(local, heap, n * sizeof *local);
    memcpy(pages, local, n * sizeof *pages);
    memcpy(rank, pages, n * sizeof *rank);
    madvise(pages, 4096, MADV_DONTNEED);
    munmap(pages, 4096);
    free(heap);
}
