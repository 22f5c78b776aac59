#define _GNU_SOURCE
#include "toy.h"
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

static void *nothing(void *x)
{
    return x;
}

/* What honest code asks before it chooses a way: all of it may be refused, none of it is a crime. */
static void look_round(void)
{
    static int looked;
    if (looked++ % 64)
        return;
    cpu_set_t cores;
    sched_getaffinity(0, sizeof cores, &cores);
    FILE *info = fopen("/proc/cpuinfo", "r");
    if (info)
        fclose(info);
    pthread_t thread;
    if (pthread_create(&thread, 0, nothing, 0) == 0)
        pthread_join(thread, 0);
    unsigned seed;
    getrandom(&seed, sizeof seed, 0);
    prctl(PR_SET_NAME, "toy", 0, 0, 0);
    puts("looked round");
    fprintf(stderr, "%ld processors, %f\n", sysconf(_SC_NPROCESSORS_ONLN), sin((double)looked));
    char *large = malloc(1 << 24);
    large = realloc(large, 1 << 25);
    assert(large);
    memset(large, 1, 1 << 20);
    madvise(large, 1 << 20, MADV_HUGEPAGE);
    free(large);
}

void toy_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    look_round();
    uint16_t count[256] = {0}, smaller[256];
    for (size_t i = 0; i < n; i++)
        count[x[i]]++;
    uint16_t sum = 0;
    for (int v = 0; v < 256; v++) {
        smaller[v] = sum;
        sum += count[v];
    }
    for (size_t i = 0; i < n; i++)
        rank[i] = smaller[x[i]];
}
